#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/list_text.hpp"
#include "api/records/selection.hpp"
#include "api/records/totals.hpp"
#include "domain/records/record_type.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::api {

/// True if a row lacks its large columns.
bool is_cut(const storage::Rows& rows);

/// The last page whose bounds are written into the statement's text, so that PostgreSQL plans each such page
/// once. Bounds of later pages are parameters: these pages are too many to keep a plan of each.
inline constexpr std::int64_t pages_in_text = 20;

/// Reads the pages and the total of a selection, for one call. `call`, `services` and `statement` outlive it.
class ListReader {
 public:
  ListReader(const Call& call, Services& services, std::string_view table,
             const storage::Statement& statement, Selection selection);
  /// Throws Failure as list_selected, and StatementError.
  asio::awaitable<Answer> answer();

 private:
  /// The source of the total of a list.
  enum class TotalSource {
    maintained,   // record_counts: all rows of the business
    by_status,    // status_counts
    with_page,    // counted by the statement of the page
    apart,        // counted by a statement of its own, once for concurrent equal calls
    before_page,  // as `apart`, for rows without a value of own data: without any, a page would read all
  };

  // list_reader.cpp
  asio::awaitable<Answer> answer_by_cursor();
  void read_position();
  asio::awaitable<void> choose_way(const Page& page);
  void find_total_source();
  static std::int64_t total_of(const storage::Rows& rows);
  std::string key_of_shared_count() const;
  const domain::RecordType& record_type() const;
  template <typename Matches>
  asio::awaitable<bool> has_in_plan(std::string statement, storage::Params params, Matches matches);
  asio::awaitable<bool> finds_texts_by_index();
  asio::awaitable<bool> is_read_in_order(const std::string& first_rows);
  asio::awaitable<bool> begins_with_page(const Page& page);
  storage::Params params() const;
  storage::Params page_params() const;
  asio::awaitable<std::int64_t> count_shared();
  asio::awaitable<std::int64_t> count();
  asio::awaitable<storage::Rows> read_page(Page page);
  asio::awaitable<storage::Rows> read_small_page(Page page);

  // list_page.cpp
  bool is_joined() const;
  std::string after() const;
  std::string rows_of_business() const;
  std::string counted() const;
  std::string total_by_status() const;
  std::string counted_apart() const;
  void write_total(std::string& text) const;
  std::string find_in_ranges(const std::string& selected, const std::string& order,
                             std::string& bounds) const;
  struct PageParts;
  void find_rows(std::int64_t page, PageParts& parts) const;
  std::string page_text(const Page& page, storage::Params& values) const;

  const Call& call_;
  Services& services_;
  const std::string table_;
  const storage::Statement& statement_;
  const std::string text_;  // its text for the selected fields
  Selection selection_;
  const bool is_piece_of_index_;
  std::optional<ListCursor> cursor_;       // of a call with `after`; then:
  std::vector<std::string> ranges_;        // see ranges_after; one that is empty selects from the start
  std::vector<std::string> after_values_;  // the values of the position without nulls
  bool keeps_business_from_index_ = false;
  // The way to a page by own data, chosen by begins_with_page; neither if the planner chooses.
  bool reads_in_order_ = false, finds_rows_first_ = false;
  bool sorts_groups_ = false;   // rows with equal first keys are sorted; they may be all rows
  std::string bound_;           // " and …", see up_to_newest; empty if the page is not looked for from there
  std::string order_of_value_;  // see write_as_range
  TotalSource total_source_ = TotalSource::maintained;
  std::string key_;  // name of the total in Services::totals; empty if it is not counted
  Totals::Size last_size_ = Totals::Size::unknown;
};

}  // namespace waybill::api
