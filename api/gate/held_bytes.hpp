#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/guid.hpp"

namespace waybill::api {

/// Limits the memory that clients fill by sending or reading slowly, in one count of bodies and answers.
/// Sizes are bytes. Used by all io threads.
class ByteLimits {
 public:
  static constexpr std::size_t small = 16UL * 1024;                // smaller bodies and answers need no claim
  static constexpr std::size_t large = 256UL * 1024;               // smaller ones do not count for a business
  static constexpr std::size_t most_bodies = 128UL * 1024 * 1024;  // of a business
  static constexpr std::size_t most_answers = 64UL * 1024 * 1024;  // of a business
  static constexpr std::size_t most_of_stranger = 16UL * 1024 * 1024;  // of a network, without a business

  enum class Kind : std::uint8_t { body, answer };
  /// The limit that refuses a claim: that of the business, or of the network for a client without one; that
  /// of a network's clients together; that of the process.
  enum class Limit : std::uint8_t { holder, network, process };
  /// The client whose bytes are counted.
  struct Holder {
    Guid business;        // nil for a client without one
    std::string network;  // empty: not limited as one network
  };

  class Claim;

  /// `most` is the limit of the process. A quarter of it is the limit of one network, and that of all clients
  /// without a business.
  explicit ByteLimits(std::size_t most);

  /// Returns a claim that counts nothing yet. It may outlive this object.
  Claim claim(Kind kind, Holder holder) const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the claims
};

/// The bytes of one body or answer. They count until the claim is destroyed. Used by one thread at a time.
class ByteLimits::Claim {
 public:
  ~Claim();
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&&) = delete;

  /// Raises the claim; lower sizes change nothing. `expected` is the size that the body or answer will have.
  /// It counts for the business, or for the network of a client without one. `present` is in memory already.
  /// It counts for the network and for the process, so that an announced size alone keeps nobody out. Returns
  /// the limit that is exceeded, with the counts unchanged. Each limit grants a claim of any size while
  /// nothing else counts for it.
  std::optional<Limit> raise(std::size_t expected, std::size_t present);

 private:
  friend class ByteLimits;
  Claim(std::shared_ptr<State> state, Kind kind, Holder holder);

  std::shared_ptr<State> state_;  // null after a move
  Kind kind_;
  Holder holder_;
  std::size_t expected_ = 0;
  std::size_t present_ = 0;
};

}  // namespace waybill::api
