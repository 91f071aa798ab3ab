#include "api/records/list.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/selected.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/keyset.hpp"
#include "api/records/own_data_totals.hpp"
#include "api/records/row_json.hpp"
#include "api/records/totals.hpp"
#include "base/ascii.hpp"
#include "domain/filter/filter.hpp"
#include "storage/sql/search_indexes.sql.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql;

// The last page whose bounds are written into the statement's text, so that PostgreSQL plans each such page
// once. Bounds of later pages are parameters: these pages are too many to keep a plan of each.
constexpr std::int64_t pages_in_text = 20;

class SelectionReader {
 public:
  SelectionReader(const Call& call, const domain::RecordType& type) : call_(call), type_(type) {}

  Selection read() {
    narrow(filter_parameter.name, domain::compile_filter);
    narrow(search_parameter.name, domain::compile_search);
    selection_.is_searched = call_.parameter(search_parameter.name).has_value();
    const auto order = call_.parameter(order_by_parameter.name);
    if (auto* const fragment =
            accept(order_by_parameter.name, compiled_ = domain::compile_orderby(order.value_or(""), type_))) {
      selection_.order = std::move(fragment->text);
      selection_.order_join = std::move(fragment->join);
      selection_.joined_order = std::move(fragment->joined_text);
      selection_.has_computed_key = fragment->has_computed_key;
      selection_.keys = std::move(fragment->keys);
    }
    if (!errors_.empty()) throw invalid(std::move(errors_));
    return std::move(selection_);
  }

 private:
  template <typename Compile>
  void narrow(std::string_view name, Compile compile) {
    const auto text = call_.parameter(name);
    if (!text) return;
    auto* const fragment = accept(name, compiled_ = compile(*text, type_, next_param_, "$1"));
    if (fragment == nullptr) return;
    const bool is_first = !selection_.is_narrowed();
    selection_.uses_search_index = is_first && fragment->has_indexed_word;
    selection_.whole = is_first ? whole_of(*fragment) : Selection::Whole();
    // The filter is the first, and `$search` has no other text for scans.
    if (!fragment->text_for_scans.empty())
      selection_.where_for_scans = " and " + fragment->text_for_scans;
    else if (!selection_.where_for_scans.empty())
      selection_.where_for_scans += " and " + fragment->text;
    selection_.where += " and " + fragment->text;
    selection_.has_own_data = selection_.has_own_data || fragment->has_own_data;
    next_param_ += static_cast<int>(fragment->params.size());
    for (auto& param : fragment->params) selection_.params.push_back(std::move(param));
  }

  domain::SqlFragment* accept(std::string_view name, domain::FilterResult& result) {
    if (const auto* error = std::get_if<domain::FilterError>(&result)) {
      errors_.push_back({std::string(name), error->message});
    }
    return std::get_if<domain::SqlFragment>(&result);
  }

  const Call& call_;
  const domain::RecordType& type_;
  int next_param_ = first_list_param;
  domain::FilterResult compiled_;
  Selection selection_;
  FieldErrors errors_;
};

/// The sort columns of an order in which one row comparison finds all rows after a given row: every key is a
/// column that is never null, and all have one direction.
struct Keys {
  std::string columns;  // empty if the order is not of this kind
  bool descending = false;
};

Keys comparable_keys(std::string_view order) {
  constexpr std::string_view separator = ", ", descending = " desc";
  Keys keys{.columns = {}, .descending = order.ends_with(descending)};
  while (!order.empty()) {
    const auto end = std::min(order.find(separator), order.size());
    auto key = order.substr(0, end);
    if (keys.descending != key.ends_with(descending)) return {};
    if (keys.descending) key.remove_suffix(descending.size());
    if (key.find_first_of(" (") != std::string_view::npos) return {};
    if (!keys.columns.empty()) keys.columns += separator;
    keys.columns += key;
    order.remove_prefix(std::min(end + separator.size(), order.size()));
  }
  return keys;
}

constexpr std::string_view order_tag = "/*order*/";
constexpr std::string_view end_tag = "/*end*/";

/// Replaces the text between each `start_tag` and the next `/*end*/`.
void replace_tagged(std::string& text, std::string_view start_tag, std::string_view replacement) {
  for (auto at = text.find(start_tag); at != std::string::npos; at = text.find(start_tag, at)) {
    at += start_tag.size();
    const auto end = text.find(end_tag, at);
    text.replace(at, end - at, replacement);
    at += replacement.size();
  }
}

/// Returns the text between the first `start_tag` and the next `/*end*/`.
std::string_view tagged(std::string_view text, std::string_view start_tag) {
  text.remove_prefix(text.find(start_tag) + start_tag.size());
  return text.substr(0, text.find(end_tag));
}

/// Inserts a text after the first `tag`.
void insert_after(std::string& text, std::string_view tag, std::string_view part) {
  text.insert(text.find(tag) + tag.size(), part);
}

/// Replaces the text after the last `start_tag`, up to the next `/*end*/`, together with its tags.
void replace_last_tagged(std::string& text, std::string_view start_tag, std::string_view replacement) {
  const auto at = text.rfind(start_tag);
  text.replace(at, text.find(end_tag, at) + end_tag.size() - at, replacement);
}

/// The columns with an index that has the rows of one value in the order of their creation.
constexpr auto in_order_of_creation = std::to_array<std::string_view>(
    {"status", "customer_id", "external_reference", "shipping_method", "integration_id", "created_at"});

/// True if a page is a piece of an index, so that it takes the same short time for every value.
bool is_piece_of_index(const Selection& selection) {
  const bool has_index =
      !selection.is_narrowed() ||
      std::ranges::find(in_order_of_creation, selection.whole.sole_column) != in_order_of_creation.end();
  return has_index && !selection.is_searched && selection.order == newest_first;
}

/// Writes the equality of a column with an index in the order of creation as a range of one value. Returns
/// the beginning of an order that means the same and that only this index has; empty for another condition.
/// With the equality, the planner could read the rows of all values by their creation: for a rare value among
/// few frequent ones that reads all rows of the business.
std::string write_as_range(std::string_view column_name, std::string& where) {
  const auto column = "r." + std::string(column_name);
  const auto equality = column + " = ";
  constexpr std::string_view beginning = " and ";
  if (column_name.empty() || column_name == "created_at" || !where.starts_with(beginning) ||
      where.compare(beginning.size(), equality.size(), equality) != 0) {
    return {};
  }
  const auto value = where.substr(beginning.size() + equality.size());
  where = std::string(beginning) + column + " >= " + value + " and " + column + " <= " + value;
  return column + " desc, ";
}

/// Writes each parameter as a subselect. PostgreSQL then plans without looking at the value and keeps the
/// plan; otherwise it plans again for each call if the value seems rare, which takes longer than to read the
/// page.
std::string with_hidden_values(std::string_view where) {
  std::string text;
  while (!where.empty()) {
    const auto begin = std::min(where.find('$'), where.size());
    const auto end = std::min(where.find_first_of(" )", begin), where.size());
    text += where.substr(0, begin);
    if (begin < end) {
      const auto parameter = where.substr(begin, end - begin);
      text.append("(select ").append(parameter);
      if (parameter.find(':') == std::string_view::npos) text += "::text";
      text += ")";
    }
    where.remove_prefix(end);
  }
  return text;
}

/// Writes the business's parameter as a subselect, for the same reason.
void hide_business(std::string& text) {
  text = replaced(std::move(text), "business_id = $1", "business_id = (select $1::uuid)");
}

/// Writes conditions so that no index serves them and PostgreSQL assumes the same share of rows for all of
/// them (a half), so that it reads the rows in their order until it has the page.
std::string only_tested(std::string_view where) {
  return " and case when true" + std::string(where) + " then true end";
}

/// Writes the condition on the business of the rows found first so that no index serves it (holds_most).
void keep_business_from_index(std::string& text) {
  constexpr std::string_view plain = "r.business_id = $1 and r.deleted_at is null/*where*/";
  constexpr std::string_view kept = "$1 = any (array[r.business_id]) and r.deleted_at is null/*where*/";
  text.replace(text.find(plain), plain.size(), kept);
}

bool is_by_status(std::string_view order) {
  return order.starts_with("r.status,") || order.starts_with("r.status desc,");
}

// A page of large rows is a long read, so that no other read waits behind it, and has a limit, because up to
// a hundred records of a megabyte each would fill the memory. The limit holds for the text of the rows in
// SQL.
constexpr std::string_view page_fits =
    "sum(octet_length(r::text)::bigint) over () <= 8388608 or count(*) over () = 1";
// By cursor, a row behind the page tells that there are more.
constexpr std::string_view page_and_next_fit =
    "sum(octet_length(r::text)::bigint) over () <= 8388608 or count(*) over () <= 2";

/// True if a row lacks its large columns.
bool is_cut(const storage::Rows& rows) {
  for (int row = 0; row < rows.size(); ++row)
    if (rows.is_null(row, 0)) return true;
  return false;
}

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

/// The source of the total of a list.
enum class TotalSource {
  maintained,   // record_counts: all rows of the business
  by_status,    // status_counts
  with_page,    // counted by the statement of the page
  apart,        // counted by a statement of its own, once for concurrent equal calls
  before_page,  // as `apart`, for rows without a value of own data: if there are none, a page would read all
};

// The way to read a page by own data is chosen by the first rows in the order: twice as many as are read up
// to the end of the page, within these limits.
constexpr std::int64_t least_looked_at = 4'000, most_looked_at = 10'000;

/// Reads the pages and the total of a selection.
class ListReader {
 public:
  ListReader(const Call& call, Services& services, std::string_view table,
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

  asio::awaitable<Answer> answer() {
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
    co_return page_answer(json_array(rows.slice(0, rows.size(), 1)), page, total);
  }

 private:
  asio::awaitable<Answer> answer_by_cursor() {
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
  void read_position() {
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

  /// True if the page is sorted over the join of the order. A search sorts the rows that it has found.
  bool is_joined() const { return !selection_.order_join.empty() && !selection_.is_searched; }

  /// Chooses the way to read the page.
  asio::awaitable<void> choose_way(const Page& page) {
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

  void find_total_source() {
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

  static std::int64_t total_of(const storage::Rows& rows) {
    return rows.empty() ? 0 : storage::read_binary<std::int64_t>(rows.get(0, 0));
  }

  /// A standby may serve the count, so it is shared only by requests that must see the same commits.
  std::string key_of_shared_count() const {
    const auto position = services_.db.read_position();
    return position ? key_ + '\0' + position->to_string() : key_;
  }

  const domain::RecordType& record_type() const {
    return *std::ranges::find(domain::record_types(), table_, &domain::RecordType::table);
  }

  /// True if the plan of a statement has a line for which `matches` is true.
  template <typename Matches>
  asio::awaitable<bool> has_in_plan(std::string statement, storage::Params params, Matches matches) {
    const auto plan =
        co_await services_.db.read_long(call_.business(), statement_.name, "explain (costs off) " + statement,
                                        std::move(params), storage::Format::text);
    for (int line = 0; line < plan.size(); ++line)
      if (matches(plan.get(line, 0))) co_return true;
    co_return false;
  }

  /// True if the planner takes an index of texts for the selected rows.
  asio::awaitable<bool> finds_texts_by_index() {
    return has_in_plan("select" + rows_of_business() + selection_.where, params(), names_index_of_texts);
  }

  /// True if an index has the rows of the business in the order, or in that of its first keys: then
  /// `sorts_groups_` becomes true. Without one, even the first rows in the
  /// order are known only after all have been read.
  asio::awaitable<bool> is_read_in_order(const std::string& first_rows) {
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
  asio::awaitable<bool> begins_with_page(const Page& page) {
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

  storage::Params params() const {
    auto params = storage::Params().add(call_.business());
    for (const auto& param : selection_.params) params.add(param);
    return params;
  }

  /// The parameters of a page: those of the selection and of the cursor.
  storage::Params page_params() const {
    auto values = params();
    for (const auto& value : after_values_) values.add(value);
    return values;
  }

  /// The condition of all rows behind the cursor's position; empty without one.
  std::string after() const {
    if (ranges_.size() < 2) return ranges_.empty() ? std::string() : ranges_.front();
    std::string text;
    for (const auto& range : ranges_) text += (text.empty() ? " and (true" : " or true") + range;
    return text + ")";
  }

  std::string rows_of_business() const {
    return " from " + table_ + " r where r.business_id = $1 and r.deleted_at is null";
  }

  /// The statement that counts the selected rows exactly. Where an index finds the other rows only, these
  /// are counted and subtracted from all, of the same snapshot.
  std::string counted() const {
    const bool has_complement = !selection_.whole.complement.empty();
    const auto count = "select count(*)" + rows_of_business() +
                       (has_complement ? selection_.whole.complement : selection_.where);
    if (selection_.whole.own_value.empty() && !has_complement) return count;
    const auto number = selection_.whole.own_value.empty()
                            ? "(" + count + ")"
                            : kept_total(record_type().type, selection_.whole.own_value, "(" + count + ")");
    if (!has_complement) return "select " + number;
    return "select " + std::string(tagged(statement_.text, "/*total*/")) + " - " + number;
  }

  asio::awaitable<std::int64_t> count_shared() {
    return services_.totals.count(key_of_shared_count(), [this] { return count(); });
  }

  asio::awaitable<std::int64_t> count() {
    auto text = counted_apart();
    if (is_piece_of_index_) hide_business(text);
    const auto rows = co_await services_.db.read_long(call_.business(), statement_.name, std::move(text),
                                                      params(), storage::Format::binary);
    co_return total_of(rows);
  }

  asio::awaitable<storage::Rows> read_page(Page page) {
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

  asio::awaitable<storage::Rows> read_small_page(Page page) {
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

  /// The total by status, in SQL.
  std::string total_by_status() const {
    const auto counted = [&](const std::string& status) {
      auto condition = status + " is not null" + selection_.where;
      condition = replaced(std::move(condition), "r.status", status);
      return "case when " + condition + " then n.records else 0 end";
    };
    return "(select coalesce(sum(" + counted("n.status_after") + " - " + counted("n.status_before") +
           "), 0)::bigint from status_counts n where n.business_id = $1 and n.entity_type = " +
           std::to_string(static_cast<int>(record_type().type)) + ")";
  }

  /// The statement that counts apart from the page, whichever source the total has.
  std::string counted_apart() const {
    if (total_source_ == TotalSource::maintained)
      return "select " + std::string(tagged(statement_.text, "/*total*/"));
    return total_source_ == TotalSource::by_status ? "select " + total_by_status() : counted();
  }

  /// Replaces the total in the statement, which is that of all rows of the business, if the list is narrowed;
  /// by cursor, the position of the row stands there.
  void write_total(std::string& text) const {
    std::string total = "0::bigint";
    if (cursor_) {
      insert_after(text, "/*place*/", ", " + position_text(selection_.keys) + " as position");
      total = "r.position";
    } else if (total_source_ == TotalSource::maintained) {
      return;
    } else if (total_source_ == TotalSource::by_status) {
      total = total_by_status();
    } else if (total_source_ == TotalSource::with_page) {
      total = selection_.is_searched ? "r.total" : "(" + counted() + ")";
    }
    replace_tagged(text, "/*total*/", total);
  }

  /// Finds the guids of the rows in all ranges behind the cursor but the last, one range after the other
  /// until there are as many as the page has. Returns the beginning of a statement up to the rows of the last
  /// range, whose number is limited by the `bounds` that it appends.
  std::string find_in_ranges(const std::string& selected, const std::string& order,
                             std::string& bounds) const {
    std::string found, guids;
    auto left = bounds;
    for (std::size_t i = 0; i + 1 < ranges_.size(); ++i) {
      const auto part = "part_" + std::to_string(i);
      found += (i == 0 ? "with " : ", ") + part + " as materialized (select r.guid from " + table_ + " r" +
               (is_joined() ? selection_.order_join : "") +
               " where r.business_id = $1 and r.deleted_at is null" + ranges_[i] + selected + " order by " +
               order + " " + left + ")";
      guids += "select guid from " + part + " union all ";
      left += " - (select count(*) from " + part + ")";
    }
    bounds = left + ")))";
    return found + " select r.* from " + table_ + " r where r.business_id = $1 and r.guid = any(array(" +
           guids + "(select r.guid";
  }

  /// The statement of a page. Adds its bounds to `values` if they are parameters.
  std::string page_text(const Page& page, storage::Params& values) const {
    std::string text(text_);
    if (keeps_business_from_index_) keep_business_from_index(text);
    auto limit = std::to_string(page.limit());
    auto offset = std::to_string(page.offset());
    if (page.number > pages_in_text) {
      const auto first = first_list_param + selection_.params.size();
      limit = "$" + std::to_string(first);
      offset = "$" + std::to_string(first + 1);
      values.add(page.limit()).add(page.offset());
    }
    const auto selected = bound_ + (reads_in_order_ ? only_tested(selection_.where) : selection_.where);
    auto where = after() + selected;
    auto order = is_joined() ? selection_.joined_order : selection_.order;
    auto bounds = "limit " + limit + (cursor_ ? "" : " offset " + offset);
    const auto find_guids_first = [&] {
      replace_tagged(
          text, "/*rows*/",
          "select r.* from " + table_ + " r where r.business_id = $1 and r.guid = any(array(select r.guid");
      bounds += "))";
    };
    if (finds_rows_first_) {
      // `offset 0` keeps the planner from reading the rows in the order of an index.
      replace_tagged(text, "/*rows*/",
                     "select r.* from " + table_ +
                         " r where r.business_id = $1 and r.guid = any(array(select r.guid from (select r.*");
      constexpr std::string_view begin_of_order = "order by /*order*/";
      text.insert(text.find(begin_of_order), "offset 0) r ");
      bounds += "))";
    } else if (ranges_.size() > 1) {
      replace_tagged(text, "/*rows*/", find_in_ranges(selected, order, bounds));
      if (is_joined()) insert_after(text, "/*join*/", selection_.order_join);
      where = ranges_.back() + selected;
    } else if (selection_.is_searched) {
      // The count, equal in every row, is the first sort key. Without it, the planner expects the first fifty
      // rows to suffice for count(*) over () and scans all rows by creation time.
      order = "total, " + order;
      replace_tagged(text, "/*rows*/",
                     "select r.*, found.total, found.place from (select f.*, row_number() over () as place "
                     "from (select r.guid, count(*) over () as total");
      bounds += ") f) found join " + table_ + " r on r.business_id = $1 and r.guid = found.guid";
      replace_last_tagged(text, order_tag, "r.place");
    } else if (const auto keys = comparable_keys(selection_.order);
               page.number > 1 && !selection_.is_narrowed() && !keys.columns.empty()) {
      // The first row of the page is found by an index-only scan.
      where = " and (" + keys.columns + (keys.descending ? ") <= (" : ") >= (") + "select " + keys.columns +
              rows_of_business() + " order by " + selection_.order + " limit 1 offset " + offset + ")";
      bounds = "limit " + limit;
    } else if (!selection_.order_join.empty()) {
      find_guids_first();
      insert_after(text, "/*join*/", selection_.order_join);
    } else if (order != newest_first && page.number <= pages_in_text && !selection_.has_computed_key &&
               !is_by_status(order)) {
      // PostgreSQL sorts the rows as they are in the table. Without `materialized` it first copies the
      // columns that the outer query reads. Later pages have more rows to sort than fit in its memory.
      replace_tagged(text, "/*rows*/", "with sorted as materialized (select r.*");
      bounds += ") select * from sorted";
    } else if (page.number > 1 || order != newest_first) {
      // The rows before the page, or those of the same status, are read by an index-only scan. A computed key
      // would be copied with all columns of its row.
      find_guids_first();
    }
    if ((cursor_ || !selection_.is_searched) && selection_.order != newest_first) {
      // In the outer query `r` has further columns, so functions of the table's row cannot order it.
      insert_after(text, "/*place*/", ", row_number() over (order by " + selection_.order + ") as place");
      replace_last_tagged(text, order_tag, "r.place");
    }
    replace_tagged(text, "/*page*/", bounds);
    replace_tagged(text, order_tag, order_of_value_ + order);
    write_total(text);
    insert_after(text, "/*where*/", where);
    if (is_piece_of_index_) hide_business(text);
    return text;
  }

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

/// Throws VALIDATION_ERROR for what makes a list slow, if the request names any of it.
void refuse_slow(const Call& call) {
  FieldErrors errors;
  for (const std::string_view name :
       {filter_parameter.name, search_parameter.name, order_by_parameter.name, std::string_view("search")}) {
    if (call.parameter(name)) {
      errors.push_back({std::string(name),
                        "takes longer than the 10 s that a list may take; ask for less, for "
                        "example a status, a time or the beginning of a text"});
    }
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> list_narrowed(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection) {
  try {
    co_return co_await ListReader(call, services, table, statement, std::move(selection)).answer();
  } catch (const storage::StatementError& error) {
    if (storage::is_canceled(error)) refuse_slow(call);
    throw;
  }
}

}  // namespace

Selection::Whole whole_of(const domain::SqlFragment& fragment) {
  return {.sole_column = fragment.sole_column,
          .is_of_status = fragment.is_of_status,
          .complement = fragment.complement.empty() ? std::string() : " and " + fragment.complement,
          .own_value = fragment.own_value};
}

asio::awaitable<bool> holds_most(const Guid& business, Services& services, const domain::RecordType& type) {
  const auto key = business.to_string() + std::string(type.table);
  if (const auto known = services.totals.holds_most(key)) co_return *known;
  const auto rows = co_await services.db.read(sql::search_indexes::HoldsMost{
      .business = business, .entity_type = static_cast<std::int16_t>(type.type), .table = type.table});
  const bool answer = !rows.empty() && rows.front().holds_most;
  services.totals.remember_holds_most(key, answer);
  co_return answer;
}

bool names_index_of_texts(std::string_view line_of_plan) {
  return line_of_plan.ends_with("_text") || line_of_plan.ends_with("_by_recipient");
}

asio::awaitable<Answer> list_selected(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection) {
  if (call.query.empty()) {
    const auto rows = co_await services.db.run_read({.statement = statement,
                                                     .params = storage::Params().add(call.business()),
                                                     .format = storage::Format::binary,
                                                     .business = call.business()});
    if (!is_cut(rows)) {
      const auto total = rows.empty() ? 0 : storage::read_binary<std::int64_t>(rows.get(0, 0));
      co_return page_answer(json_array(rows.slice(0, rows.size(), 1)), page_of(call), total);
    }
  }
  co_return co_await list_narrowed(call, services, table, statement, std::move(selection));
}

asio::awaitable<Answer> list_records(Call& call, Services& services, const domain::RecordType& type,
                                     const storage::Statement& statement) {
  return list_selected(call, services, type.table, statement, SelectionReader(call, type).read());
}

}  // namespace waybill::api
