// Counts the words of a text, where it is called, and answers with the most frequent ones.
#include <algorithm>
#include <map>
#include <string>
#include <vector>
#include <tc/entry.h>

static std::string most_frequent(const std::string &text)
{
    std::map<std::string, int> counts;
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
        end = std::min(text.find(' ', at), text.size());
        ++counts[text.substr(at, end - at)];
    }
    std::vector<std::pair<std::string, int>> words(counts.begin(), counts.end());
    std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    std::string answer;
    for (std::size_t i = 0; i < words.size() && i < 3; i++)
        answer += (i ? ", " : "") + words[i].first + " " + std::to_string(words[i].second);
    return answer;
}

extern "C" void word_count_main(void *payload, size_t payload_size, void *)
try {
    std::string answer = most_frequent(std::string(static_cast<char *>(payload), payload_size));
    tc_reply(answer.data(), answer.size());
} catch (const std::exception &e) {
    tc_reply_error(TC_E_NO_MEMORY, e.what());
}
