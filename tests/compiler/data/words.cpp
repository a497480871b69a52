/* Many features of C++: templates, allocation, exceptions, and functions of its library. */
#include <map>
#include <stdexcept>
#include <string>

extern "C" void words_main(void *payload, size_t payload_size, void *target_args)
{
    std::map<std::string, int> counts;
    const char *text = static_cast<const char *>(payload);
    std::string word;
    for (size_t i = 0; i < payload_size; i++) {
        if (text[i] != ' ') {
            word += text[i];
            continue;
        }
        counts[word]++;
        word.clear();
    }
    try {
        if (counts.empty())
            throw std::runtime_error("no words");
        *static_cast<size_t *>(target_args) = counts.size();
    } catch (const std::exception &e) {
        *static_cast<size_t *>(target_args) = std::string(e.what()).size();
    }
}
