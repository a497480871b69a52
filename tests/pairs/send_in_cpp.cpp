// Sends the messages of messages.txt as arguments of tc::call, to the functions of every
// language.
//   send_in_cpp MESSAGES ADDRESS FOLDER LANGUAGE...     FOLDER is that of the option ifunc_path
#include <tc/tchains.hpp>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>

namespace
{

std::string messages;

void require(bool holds, const std::string &what)
{
    if (!holds) {
        std::cerr << "C++: " << what << std::endl;
        std::exit(1);
    }
}

std::string expected_bytes(const std::string &name)
{
    std::ifstream file(messages);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word, bytes;
        if (!(words >> word) || word != name)
            continue;
        while (words >> word)
            for (std::size_t i = 0; i + 1 < word.size(); i += 2)
                bytes += static_cast<char>(std::stoi(word.substr(i, 2), nullptr, 16));
        return bytes;
    }
    return "";
}

struct weighed {
    double sum;
    std::int32_t count;
};
bool operator==(const weighed &a, const weighed &b)
{
    return a.sum == b.sum && a.count == b.count;
}

struct sender {
    tc::context &ctx;
    tc_ep *ep;
    std::string folder, language;

    template <typename R, typename... A>
    void call(const char *name, const std::string &function, const R &answer,
              const A &...arguments) const
    {
        tc::detail::payload<tc::detail::part<A>...> packed{tc::detail::part<A>(arguments)...};
        require(expected_bytes(name) ==
                    std::string(static_cast<const char *>(packed.data()), packed.size()),
                std::string(name) + ": other bytes than in the file");
        const std::string path = folder + "/" + function + "_" + language + ".tca";
        if (!std::ifstream(path))
            return; // not every language has every function
        tc::ifunc fn = ctx.open((function + "_" + language).c_str());
        require(tc::call<R>(ep, fn, arguments...) == answer,
                name + (" to " + language) + ": another answer");
    }
};

void send_all(const sender &to)
{
    const std::vector<double> values = {100, 1, 2, 3, 4};
    const std::vector<float> few = {1.5F, 2.25F};
    to.call("over", "over", 107.0, 2.5, values);
    to.call("over_none", "over", 0.0, 2.5, std::vector<double>());
    to.call("weigh", "weigh", weighed{8.875, 2}, 0.5, std::int32_t{7}, few);
    to.call("weigh_none", "weigh", weighed{7, 0}, 0.5, std::int32_t{7}, std::vector<float>());
    to.call("mixed", "mixed", 9.0, std::int8_t{-1}, 2.5, std::int16_t{4});
    to.call("letters", "letters", std::int64_t{6}, true, std::string("banana"));
    to.call("letters_a", "letters", std::int64_t{3}, false, std::string_view("banana"));
    to.call("letters_none", "letters", std::int64_t{0}, true, std::string());
}

// A function in Python answers with an array of two dimensions, with its shape behind it.
void ask_for_a_grid(const sender &to)
{
    const std::string path = to.folder + "/grid_python.tca";
    if (!std::ifstream(path))
        return;
    tc::ifunc grid = to.ctx.open("grid_python");
    tc_error err = {};
    auto found = tc::try_call<std::vector<double>>(err, {to.ep, grid}, std::int64_t{3});
    require(!found && err.status == TC_E_CORRUPT, "a grid was taken for numbers alone");
}

} // namespace

int main(int argc, char **argv)
try {
    messages = argv[1];
    tc::context ctx;
    tc::endpoint ep = ctx.connect(argv[2], TC_SECONDS(60));
    sender to{ctx, ep, argv[3], ""};
    for (int i = 4; i < argc; i++) {
        to.language = argv[i];
        send_all(to);
    }
    ask_for_a_grid(to);
    return 0;
} catch (const tc::error &e) {
    std::cerr << "C++: " << e.what() << std::endl;
    return 1;
}
