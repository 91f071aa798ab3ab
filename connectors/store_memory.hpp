#pragma once

#include <cstddef>
#include <utility>

#include "base/json.hpp"

namespace waybill::connectors {

/// Counts the memory of stores' answers and of the records read from them in this process, for all businesses
/// together. Thread-safe. Does not wait for memory: an answer that exceeds it is refused and requested in
/// smaller pages.
class StoreMemory {
 public:
  static constexpr std::size_t budget = 64UL * 1024 * 1024;
  /// The bytes that each charge may always have, whatever the others have.
  static constexpr std::size_t share = 1024UL * 1024;
  static constexpr std::size_t largest_answer = 8UL * 1024 * 1024;
  static constexpr std::size_t largest_tree = 32UL * 1024 * 1024;

  /// The bytes of one answer, tree or page; released by the destructor.
  class Charge {
   public:
    Charge() = default;
    ~Charge() { remove(bytes_); }
    Charge(Charge&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge&&) = delete;

    /// Returns false and adds nothing if there is no room.
    bool add(std::size_t bytes);
    void remove(std::size_t bytes);
    std::size_t bytes() const { return bytes_; }

   private:
    std::size_t bytes_ = 0;
  };

  /// The largest answer that may be requested now: a quarter of the remaining memory, from `share` to
  /// `largest_answer`.
  static std::size_t answer_limit();

  /// Memory for the JSON tree of one answer; allocations throw std::bad_alloc if it becomes too large.
  static json::storage_ptr tree();
};

}  // namespace waybill::connectors
