#include "api/records/list_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/endpoint/selected.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/keyset.hpp"
#include "api/records/list.hpp"
#include "api/records/own_data_totals.hpp"
#include "api/records/row_json.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::api {
namespace {

// A page of large rows is a long read, so that no other read waits behind it, and has a limit, because up to
// a hundred records of a megabyte each would fill the memory. The limit holds for the text of the rows in
// SQL.
constexpr std::string_view page_fits =
    "sum(octet_length(r::text)::bigint) over () <= 8388608 or count(*) over () = 1";
// By cursor, a row behind the page tells that there are more.
constexpr std::string_view page_and_next_fit =
    "sum(octet_length(r::text)::bigint) over () <= 8388608 or count(*) over () <= 2";

/// Returns the statement of a list with the columns that the call selects. A row without its large columns
/// fits every page.
std::string text_for(const Call& call, const storage::Statement& statement) {
  const auto fields = selected_fields(call);
  if (fields.empty()) return std::string(statement.text);
  auto text = AnswerColumns(statement.text).only(fields);
  if (tagged(text, "/*fields*/").find("r.fits") == std::string_view::npos)
    replace_tagged(text, "/*fits*/", "true");
  return text;
}

// The way to read a page by own data is chosen by the first rows in the order: twice as many as are read up
// to the end of the page, within these limits.
constexpr std::int64_t least_looked_at = 4'000, most_looked_at = 10'000;

}  // namespace

bool is_cut(const storage::Rows& rows) {
  for (int row = 0; row < rows.size(); ++row)
    if (rows.is_null(row, 0)) return true;
  return false;
}

ListReader::ListReader(const Call& call, Services& services, std::string_view table,
                       const storage::Statement& statement, Selection selection)
    : call_(call),
      services_(services),
      table_(table),
      statement_(statement),
      text_(text_for(call, statement)),
      selection_(std::move(selection)),
      is_piece_of_index_(is_piece_of_index(selection_)) {
  if (is_piece_of_index_) {
    selection_.where = with_hidden_values(selection_.where);
    order_of_value_ = write_as_range(selection_.whole.sole_column, selection_.where);
  }
  find_total_source();
  cursor_ = ListCursor::find(call, services.secrets, table, selection_.keys.size());
  if (cursor_) read_position();
}

asio::awaitable<Answer> ListReader::answer() {
  if (cursor_) co_return co_await answer_by_cursor();
  const auto page = page_of(call_);
  std::optional<std::int64_t> counted;
  if (total_source_ == TotalSource::before_page) {
    counted = co_await count_shared();
    if (*counted <= page.offset()) co_return page_answer("[]", page, *counted);
  }
  co_await choose_way(page);
  const auto rows = co_await read_page(page);
  std::int64_t total = 0;
  if (counted) {
    total = *counted;
  } else if (total_source_ == TotalSource::apart) {
    total = co_await count_shared();
  } else {
    total = total_of(rows);
    // The page may be past the end; the first page has the total.
    if (rows.empty() && page.number > 1) total = total_of(co_await read_page({.number = 1, .size = 1}));
  }
  if (!key_.empty()) services_.totals.remember(key_, total);
  co_return page_answer(json_array(rows.slice(0, rows.size(), 1)), page,
                        total_with_page(total, page, rows.size()));
}

asio::awaitable<Answer> ListReader::answer_by_cursor() {
  const auto page = page_of(call_);
  const Page with_next{.number = 1, .size = page.size + 1};
  co_await choose_way(with_next);
  const auto rows = co_await read_page(with_next);
  const int shown = std::min(rows.size(), static_cast<int>(page.size));
  std::optional<std::string> next;
  if (shown < rows.size()) next = cursor_->seal(rows.get(shown - 1, 0));
  std::optional<std::int64_t> total;
  if (wants_count(call_)) {
    total = co_await count_shared();
    if (!key_.empty()) services_.totals.remember(key_, *total);
  }
  co_return cursor_answer(json_array(rows.slice(0, shown, 1)), page, next, total);
}

/// Replaces the order by that of the cursor, and makes the conditions of the rows behind its position.
/// Their parameters follow those of the selection.
void ListReader::read_position() {
  selection_.order = order_text(selection_.keys);
  selection_.joined_order = order_text(selection_.keys, true);
  if (std::ranges::any_of(selection_.keys, &domain::SortKey::is_cut)) selection_.has_computed_key = true;
  ranges_ = {""};
  if (!cursor_->position()) return;
  // The keys of a page that is a piece of an index; see with_hidden_values.
  constexpr auto types = std::to_array<std::string_view>({"timestamptz", "uuid"});
  auto keys = selection_.keys;
  std::vector<std::string> values;
  for (const auto& value : *cursor_->position()) {
    if (!value) {
      values.emplace_back();
      continue;
    }
    auto text = "$" + std::to_string(first_list_param + selection_.params.size() + after_values_.size());
    after_values_.push_back(*value);
    if (is_piece_of_index_)
      text.insert(0, "(select ").append("::").append(types.at(values.size())).append(")");
    values.push_back(std::move(text));
  }
  if (!order_of_value_.empty()) {
    // Its rows are a range of the index that begins with the value.
    auto column = order_of_value_.substr(0, order_of_value_.find(' '));
    keys.insert(keys.begin(), {.value = column, .joined_value = column, .is_descending = true});
    constexpr std::string_view last_bound = " <= ";
    values.insert(values.begin(),
                  selection_.where.substr(selection_.where.rfind(last_bound) + last_bound.size()));
  }
  ranges_ = ranges_after(keys, values, is_joined());
  if (ranges_.empty()) ranges_ = {" and false"};
}

/// Chooses the way to read the page.
asio::awaitable<void> ListReader::choose_way(const Page& page) {
  if (selection_.uses_search_index) {
    keeps_business_from_index_ = co_await holds_most(call_.business(), services_, record_type());
  }
  if (!selection_.where_for_scans.empty() && !co_await finds_texts_by_index()) {
    selection_.where = std::move(selection_.where_for_scans);
  }
  if (selection_.has_own_data && !is_piece_of_index_ && !selection_.is_searched &&
      !selection_.has_computed_key && selection_.order_join.empty()) {
    // Few rows are found and sorted sooner than the first rows in the order are looked at.
    bool begins = last_size_ != Totals::Size::small && co_await begins_with_page(page);
    if (!begins && last_size_ == Totals::Size::large && !selection_.whole.own_value.empty() &&
        selection_.whole.complement.empty() && selection_.order == newest_first) {
      // The value may be one that only old rows have.
      bound_ = " and " + up_to_newest(record_type().type, selection_.whole.own_value);
      begins = co_await begins_with_page(page);
      if (!begins) bound_.clear();
    }
    reads_in_order_ = begins && !sorts_groups_;
    finds_rows_first_ = !begins;
  }
  if (cursor_ && selection_.is_searched) finds_rows_first_ = true;
}

void ListReader::find_total_source() {
  if (!selection_.is_narrowed()) return;
  total_source_ = TotalSource::with_page;
  if (selection_.is_searched) return;
  if (selection_.whole.is_of_status) {
    total_source_ = TotalSource::by_status;
    return;
  }
  key_ = call_.business().to_string() + table_ + selection_.where;
  for (const auto& param : selection_.params) (key_ += '\0') += param;
  last_size_ = services_.totals.last_size(key_);
  if (last_size_ == Totals::Size::large) total_source_ = TotalSource::apart;
  if (!selection_.whole.complement.empty() && !selection_.whole.own_value.empty())
    total_source_ = TotalSource::before_page;
}

std::int64_t ListReader::total_of(const storage::Rows& rows) {
  return rows.empty() ? 0 : storage::read_binary<std::int64_t>(rows.get(0, 0));
}

/// A standby may serve the count, so it is shared only by requests that must see the same commits.
std::string ListReader::key_of_shared_count() const {
  const auto position = services_.db.read_position();
  return position ? key_ + '\0' + position->to_string() : key_;
}

const domain::RecordType& ListReader::record_type() const {
  return *std::ranges::find(domain::record_types(), table_, &domain::RecordType::table);
}

/// True if the plan of a statement has a line for which `matches` is true.
template <typename Matches>
asio::awaitable<bool> ListReader::has_in_plan(std::string statement, storage::Params params,
                                              Matches matches) {
  const auto plan =
      co_await services_.db.read_long(call_.business(), statement_.name, "explain (costs off) " + statement,
                                      std::move(params), storage::Format::text);
  for (int line = 0; line < plan.size(); ++line)
    if (matches(plan.get(line, 0))) co_return true;
  co_return false;
}

/// True if the planner takes an index of texts for the selected rows.
asio::awaitable<bool> ListReader::finds_texts_by_index() {
  return has_in_plan("select" + rows_of_business() + selection_.where, params(), names_index_of_texts);
}

/// True if an index has the rows of the business in the order, or in that of its first keys: then
/// `sorts_groups_` becomes true. Without one, even the first rows in the
/// order are known only after all have been read.
asio::awaitable<bool> ListReader::is_read_in_order(const std::string& first_rows) {
  if (selection_.order == newest_first) co_return true;
  co_return !co_await has_in_plan(
      first_rows, storage::Params().add(call_.business()), [this](std::string_view line) {
        const auto step = line.substr(std::min(line.find_first_not_of(" ->"), line.size()));
        sorts_groups_ = sorts_groups_ || step == "Incremental Sort";
        return step == "Sort" || step.starts_with("Gather Merge");
      });
}

/// True if the first rows in the order have those of the page. Otherwise the selected rows are
/// found by their own indexes and sorted, which takes the same time wherever they stand in the order.
asio::awaitable<bool> ListReader::begins_with_page(const Page& page) {
  const auto wanted = page.offset() + page.limit();
  const auto looked_at = std::clamp(2 * wanted, least_looked_at, most_looked_at);
  if (wanted > looked_at) co_return false;
  const auto first_rows = [&](const std::string& where) {
    return "select r.guid" + rows_of_business() + where + " order by " + selection_.order + " limit " +
           std::to_string(looked_at);
  };
  if (!co_await is_read_in_order(first_rows(""))) co_return false;
  auto text = "select count(*) from (select" + rows_of_business() + " and r.guid = any(array(" +
              first_rows(after() + bound_) + "))" + only_tested(selection_.where) + " limit " +
              std::to_string(wanted) + ") found";
  const auto rows = co_await services_.db.read_long(call_.business(), statement_.name, std::move(text),
                                                    page_params(), storage::Format::binary);
  co_return total_of(rows) == wanted;
}

storage::Params ListReader::params() const {
  auto params = storage::Params().add(call_.business());
  for (const auto& param : selection_.params) params.add(param);
  return params;
}

/// The parameters of a page: those of the selection and of the cursor.
storage::Params ListReader::page_params() const {
  auto values = params();
  for (const auto& value : after_values_) values.add(value);
  return values;
}

asio::awaitable<std::int64_t> ListReader::count_shared() {
  return services_.totals.count(key_of_shared_count(), [this] { return count(); });
}

asio::awaitable<std::int64_t> ListReader::count() {
  auto text = counted_apart();
  if (is_piece_of_index_) hide_business(text);
  const auto rows = co_await services_.db.read_long(call_.business(), statement_.name, std::move(text),
                                                    params(), storage::Format::binary);
  co_return total_of(rows);
}

asio::awaitable<storage::Rows> ListReader::read_page(Page page) {
  auto rows = co_await read_small_page(page);
  if (!is_cut(rows)) co_return rows;
  auto values = page_params();
  auto text = page_text(page, values);
  replace_tagged(text, "/*fits*/", cursor_ ? page_and_next_fit : page_fits);
  rows = co_await services_.db.read_long(call_.business(), statement_.name, std::move(text),
                                         std::move(values), storage::Format::binary);
  if (is_cut(rows)) {
    throw Failure(ErrorCode::payload_too_large,
                  "The page has more than 8 MiB; ask for fewer entries on a page.");
  }
  co_return rows;
}

asio::awaitable<storage::Rows> ListReader::read_small_page(Page page) {
  auto values = page_params();
  auto text = page_text(page, values);
  const bool counts_little =
      cursor_ || total_source_ != TotalSource::with_page || last_size_ == Totals::Size::small;
  if (is_piece_of_index_ && counts_little && page.number <= pages_in_text) {
    co_return co_await services_.db.read_text(call_.business(), statement_.name, std::move(text),
                                              std::move(values), storage::Format::binary);
  }
  co_return co_await services_.db.read_long(call_.business(), statement_.name, std::move(text),
                                            std::move(values), storage::Format::binary);
}

}  // namespace waybill::api
