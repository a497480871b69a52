// Has the lock of the hall, whose address is the payload, for a while, by an object that
// releases it; then throws. Answers nothing: its failure is the answer.
#include "keeper.h"

#include <cstring>
#include <stdexcept>
#include <tc/entry.h>

namespace
{

class holding
{
  public:
    explicit holding(tc_task_lock *lock) : lock_(lock)
    {
        if (tc_task_lock_acquire(lock, TC_FOREVER) != TC_OK)
            throw std::logic_error("no lock");
    }
    ~holding()
    {
        (void)tc_task_lock_release(lock_);
    }
    holding(const holding &) = delete;
    holding &operator=(const holding &) = delete;

  private:
    tc_task_lock *lock_;
};

} // namespace

TC_THREADED(warden)(void *payload, size_t size, void *)
{
    uint64_t address = 0;
    std::memcpy(&address, payload, size < sizeof address ? size : sizeof address);
    keeper_hall *hall = reinterpret_cast<keeper_hall *>(static_cast<uintptr_t>(address));
    const holding held(&hall->lock);
    if (++hall->inside > hall->most)
        hall->most = hall->inside;
    const tc_status status = tc_task_sleep(0);
    hall->inside--;
    if (status != TC_OK)
        throw std::logic_error("no sleep");
    throw std::runtime_error("held and left");
}
