#include "storage/pq/prepared.hpp"

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"
#include "base/observe.hpp"

namespace waybill::storage::pq {
namespace {

// PostgreSQL truncates names to 63 bytes; the generation needs up to 11 of them.
constexpr std::size_t name_limit = 50;

bool is_plain(char c) { return is_lower(c) || is_digit(c) || c == '.' || c == '_'; }

}  // namespace

Prepared& PreparedCache::statement(const Statement& statement) {
  auto [entry, added] = statements_.try_emplace(statement.name);
  Prepared& prepared = entry->second;
  // Statements are constants, so the same address is the same text.
  if (added || prepared.text.data() != statement.text.data()) {
    prepared.name = statement.name;
    prepared.text = statement.text;
    prepared.generation = 0;
    prepared.seconds = &series(Histogram::statement_seconds, statement.name);
  }
  return prepared;
}

Prepared& PreparedCache::text(std::string_view name, std::string_view text,
                              std::vector<std::string>& evicted) {
  if (const auto known = texts_by_text_.find(text); known != texts_by_text_.end()) {
    texts_.splice(texts_.begin(), texts_, known->second);
    return known->second->prepared;
  }
  if (texts_.size() >= text_capacity) evict(evicted);
  TextEntry& entry = texts_.emplace_front(TextEntry{std::string(name), std::string(text), {}});
  entry.prepared.name = entry.name;
  entry.prepared.text = entry.text;
  entry.prepared.seconds = &series(Histogram::statement_seconds, name);
  texts_by_text_.emplace(entry.text, texts_.begin());
  return entry.prepared;
}

// Entries in flight stay until a later call.
void PreparedCache::evict(std::vector<std::string>& server_names) {
  for (auto entry = texts_.end(); entry != texts_.begin() && texts_.size() >= text_capacity;) {
    --entry;
    if (entry->prepared.in_flight > 0) continue;
    if (entry->prepared.generation != 0) server_names.push_back(std::move(entry->prepared.server_name));
    texts_by_text_.erase(entry->text);
    entry = texts_.erase(entry);
  }
}

void PreparedCache::renew(Prepared& prepared) {
  prepared.generation = ++generations_;
  prepared.server_name.clear();
  std::copy_if(prepared.name.begin(), prepared.name.begin() + std::min(prepared.name.size(), name_limit),
               std::back_inserter(prepared.server_name), is_plain);
  prepared.server_name += '/';
  prepared.server_name += std::to_string(prepared.generation);
}

void PreparedCache::forget() {
  for (auto& [name, prepared] : statements_) prepared.generation = 0;
  for (auto& entry : texts_) entry.prepared.generation = 0;
}

void PreparedCache::clear() {
  statements_.clear();
  texts_by_text_.clear();
  texts_.clear();
}

}  // namespace waybill::storage::pq
