#pragma once

#include <cstddef>
#include <utility>

#include "base/json.hpp"

namespace waybill::connectors {

/// Counts the memory that answers of stores and what is read from them take in this process, for all
/// businesses together. Thread-safe. Nobody waits for memory: what exceeds it is refused, and asked for in
/// smaller pages.
class StoreMemory {
 public:
  static constexpr std::size_t budget = 64UL * 1024 * 1024;
  /// Bytes that each charge may have however much the others have.
  static constexpr std::size_t share = 1024UL * 1024;
  static constexpr std::size_t largest_answer = 8UL * 1024 * 1024;
  static constexpr std::size_t largest_tree = 32UL * 1024 * 1024;

  /// The bytes of one answer, tree or page; given back when it is destroyed.
  class Charge {
   public:
    Charge() = default;
    ~Charge() { remove(bytes_); }
    Charge(Charge&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge&&) = delete;

    /// False: there is no room, and nothing was added.
    bool add(std::size_t bytes);
    void remove(std::size_t bytes);
    std::size_t bytes() const { return bytes_; }

   private:
    std::size_t bytes_ = 0;
  };

  /// How large an answer that is asked for now may be: a quarter of what is left, from `share` to
  /// `largest_answer`.
  static std::size_t answer_limit();

  /// Memory of one JSON tree of an answer; throws std::bad_alloc when it is too large.
  static json::storage_ptr tree();
};

}  // namespace waybill::connectors
