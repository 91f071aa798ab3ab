#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/statement/errors.hpp"
#include "storage/statement/statement.hpp"

namespace prometheus {
class Histogram;
}

namespace waybill::storage::pq {

/// The state of one statement on one connection. The generation identifies each PREPARE that was sent; an
/// answer to an older one has no meaning for the newest.
struct Prepared {
  std::string_view name;  // for logs and metrics
  std::string_view text;
  std::string server_name;                 // name of the newest PREPARE, unique in the session
  std::uint32_t generation = 0;            // 0: must be prepared before its next use
  std::uint32_t confirmed_generation = 0;  // the last one that the server accepted
  std::uint32_t refused_generation = 0;    // the last one that the server refused, with `refusal`
  std::shared_ptr<const StatementError> refusal;
  std::uint32_t in_flight = 0;
  prometheus::Histogram* seconds = nullptr;
};

/// The prepared statements of one connection. Statements are kept by name for the life of the connection; of
/// the texts, only the `text_capacity` most recently used are kept. References stay valid until the entry is
/// evicted (never while in flight) or `clear`.
class PreparedCache {
 public:
  static constexpr std::size_t text_capacity = 256;

  Prepared& statement(const Statement& statement);

  /// Appends to `evicted` the server's names of statements that the caller must DEALLOCATE.
  Prepared& text(std::string_view name, std::string_view text, std::vector<std::string>& evicted);

  /// Chooses the server's name for the next PREPARE of `prepared`.
  void renew(Prepared& prepared);

  /// Marks all statements as not prepared: the server has lost one, and possibly all.
  void forget();

  /// Removes all entries after the end of the session.
  void clear();

 private:
  struct TextEntry {
    std::string name;
    std::string text;
    Prepared prepared;
  };

  void evict(std::vector<std::string>& server_names);

  std::unordered_map<std::string_view, Prepared> statements_;
  std::list<TextEntry> texts_;  // most recently used first
  std::unordered_map<std::string_view, std::list<TextEntry>::iterator> texts_by_text_;
  std::uint32_t generations_ = 0;
};

}  // namespace waybill::storage::pq
