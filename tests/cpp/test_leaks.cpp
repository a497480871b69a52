// A process holds the same resources after hundreds of owners of <tc/tchains.hpp> as after the
// first few.
#include <tc/tchains.hpp>
#include <tc/thread.h>

#include <chrono>
#include <cstdio>
#include <dirent.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace
{

constexpr int first_rounds = 10, rounds = 200;
// The C library may take some more memory of its own at any time.
constexpr long may_grow = 8;

using holdings = std::map<std::string, long>;

long entries(const char *folder)
{
    long count = 0;
    DIR *all = opendir(folder);
    while (all != nullptr && readdir(all) != nullptr)
        count++;
    if (all != nullptr)
        closedir(all);
    return count;
}

holdings held()
{
    holdings found;
    std::string line, word;
    found["descriptors"] = entries("/proc/self/fd");
    found["threads"] = entries("/proc/self/task");
    std::ifstream maps("/proc/self/maps");
    while (std::getline(maps, line)) {
        const auto at = line.find('/');
        found[at == std::string::npos ? "anonymous mappings" : "mapped files"]++;
    }
    std::ifstream segments("/proc/sysvipc/shm");
    while (std::getline(segments, line)) {
        std::istringstream words(line);
        for (int i = 0; i < 5; i++)
            words >> word; // the fifth is its maker
        found["shared memory segments"] += word == std::to_string(getpid());
    }
    return found;
}

bool is_more(const holdings &before, const holdings &after, bool tell)
{
    bool more = false;
    for (const auto &[what, count] : after) {
        const auto was = before.find(what);
        const long allowed = (was != before.end() ? was->second : 0) +
                             (what == "anonymous mappings" ? may_grow : 0);
        if (count > allowed && tell)
            std::fprintf(stderr, "%s: %ld, expected at most %ld\n", what.c_str(), count,
                         allowed);
        more = more || count > allowed;
    }
    return more;
}

void one_round(const std::string &target)
{
    tc::context ctx;
    tc::endpoint ep = ctx.connect(target.c_str(), std::chrono::seconds(60));
    tc::ifunc box = ctx.open("box");
    if (tc::call<std::string>(ep, box, "said") != "said")
        throw std::runtime_error("another answer");
    tc_error err;
    if (tc::try_call<double>(err, {ep, box}, "odd"))
        throw std::runtime_error("no refusal");
}

} // namespace

int main()
{
    tc::context served;
    tc::listener listener = served.listen("127.0.0.1:0");
    const std::string target = "127.0.0.1:" + std::to_string(tc_listener_port(listener));
    tc_error err;
    if (tc_context_start_thread(served, nullptr, &err) != TC_OK)
        return 1;
    for (int i = 0; i < first_rounds; i++)
        one_round(target);
    const holdings before = held();
    for (int i = 0; i < rounds; i++)
        one_round(target);
    // The target releases shared memory when it is notified of the end.
    for (int i = 0; i < 600 && is_more(before, held(), false); i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (is_more(before, held(), true))
        return 1;
    std::puts("nothing is left");
    return 0;
}
