#include "connectors/store_memory.hpp"

#include <algorithm>
#include <atomic>
#include <new>

namespace waybill::connectors {
namespace {

std::atomic<std::size_t> total = 0;

/// Ignores the alignments: those of Boost.JSON are at most that of operator new, and it frees some memory
/// with another one than it has allocated it with.
class Tree final : public json::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    if (charge_.bytes() + bytes > StoreMemory::largest_tree || !charge_.add(bytes)) throw std::bad_alloc();
    try {
      return ::operator new(bytes);
    } catch (...) {
      charge_.remove(bytes);
      throw;
    }
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override {
    ::operator delete(memory);
    charge_.remove(bytes);
  }
  bool do_is_equal(const json::memory_resource& other) const noexcept override { return this == &other; }

  StoreMemory::Charge charge_;
};

}  // namespace

bool StoreMemory::Charge::add(std::size_t bytes) {
  const auto before = total.fetch_add(bytes);
  if (bytes_ + bytes > share && before + bytes > budget) {
    total.fetch_sub(bytes);
    return false;
  }
  bytes_ += bytes;
  return true;
}

void StoreMemory::Charge::remove(std::size_t bytes) {
  total.fetch_sub(bytes);
  bytes_ -= bytes;
}

std::size_t StoreMemory::answer_limit() {
  const std::size_t taken = std::min(total.load(), budget);
  return std::clamp((budget - taken) / 4, share, largest_answer);
}

json::storage_ptr StoreMemory::tree() { return json::make_shared_resource<Tree>(); }

}  // namespace waybill::connectors
