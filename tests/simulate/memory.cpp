// The operators new and delete of this program. Most of what the workers and the model allocate is small and
// short-lived; a freed block waits in a list of its size for the next one, without the searches and merges
// of the C library.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t unit = 16;
constexpr std::size_t largest = 1024;  // of a block in a list
constexpr std::size_t chunk_size = 256UL * 1024;

/// Before each block, so that it knows its list.
struct alignas(unit) Head {
  std::size_t list;  // 0: a block of malloc
};

struct Free {
  Free* next;
};

thread_local constinit std::array<Free*, largest / unit + 1> lists{};
thread_local constinit char* chunk = nullptr;
thread_local constinit std::size_t left = 0;  // of the chunk

void* take(std::size_t size) {
  if (size > largest) {
    auto* const head = static_cast<Head*>(std::malloc(sizeof(Head) + size));
    if (head == nullptr) throw std::bad_alloc();
    head->list = 0;
    return head + 1;
  }
  const std::size_t list = size == 0 ? 1 : (size + unit - 1) / unit;
  if (Free* const block = lists[list]) {
    lists[list] = block->next;
    return block;
  }
  const std::size_t whole = sizeof(Head) + list * unit;
  if (left < whole) {
    chunk = static_cast<char*>(std::malloc(chunk_size));
    if (chunk == nullptr) throw std::bad_alloc();
    left = chunk_size;
  }
  auto* const head = new (chunk) Head{list};
  chunk += whole;
  left -= whole;
  return head + 1;
}

void give_back(void* block) {
  if (block == nullptr) return;
  auto* const head = static_cast<Head*>(block) - 1;
  if (head->list == 0) {
    std::free(head);
    return;
  }
  lists[head->list] = new (block) Free{lists[head->list]};
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
void operator delete[](void* block, std::size_t) noexcept { give_back(block); }
