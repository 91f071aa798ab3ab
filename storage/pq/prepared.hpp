#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <prometheus/histogram.h>

#include "storage/errors.hpp"
#include "storage/statement.hpp"

namespace waybill::storage::pq {

/// One statement as one connection knows it. The generations tell apart the PREPAREs of it that were sent: an
/// answer to an older one says nothing about the newest.
struct Prepared {
  std::string_view name;  // what logs and metrics call it
  std::string_view text;
  std::string server_name;                 // of the newest PREPARE, unique in the session
  std::uint32_t generation = 0;            // 0: to be prepared before its next use
  std::uint32_t confirmed_generation = 0;  // the last that the server took
  std::uint32_t refused_generation = 0;    // the last that it refused, and why
  std::shared_ptr<const StatementError> refusal;
  std::uint32_t in_flight = 0;
  prometheus::Histogram* seconds = nullptr;
};

/// What is prepared on one connection: statements by name for good, texts by their text, of which only the
/// `text_capacity` last used are kept. References stay valid until the entry is evicted (never while in
/// flight) or `clear`.
class PreparedCache {
 public:
  static constexpr std::size_t text_capacity = 256;

  Prepared& statement(const Statement& statement);

  /// Appends to `evicted` the server's names of what is to be DEALLOCATEd for it.
  Prepared& text(std::string_view name, std::string_view text, std::vector<std::string>& evicted);

  /// Chooses the server's name for the next PREPARE of `prepared`.
  void renew(Prepared& prepared);

  /// The server has forgotten one, and so perhaps all.
  void forget();

  /// The session has ended: nothing is prepared any more.
  void clear();

 private:
  struct TextEntry {
    std::string name;
    std::string text;
    Prepared prepared;
  };

  void evict(std::vector<std::string>& server_names);

  std::unordered_map<std::string_view, Prepared> statements_;
  std::list<TextEntry> texts_;  // the last used first
  std::unordered_map<std::string_view, std::list<TextEntry>::iterator> texts_by_text_;
  std::uint32_t generations_ = 0;
};

}  // namespace waybill::storage::pq
