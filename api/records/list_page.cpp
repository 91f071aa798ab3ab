#include <string>
#include <string_view>
#include <utility>

#include "api/records/keyset.hpp"
#include "api/records/list_reader.hpp"
#include "api/records/own_data_totals.hpp"
#include "base/ascii.hpp"
#include "storage/sql/lists.sql.hpp"

// The statements of ListReader.
namespace waybill::api {

/// True if the page is sorted over the join of the order. A search sorts the rows that it has found.
bool ListReader::is_joined() const { return !selection_.order_join.empty() && !selection_.is_searched; }

/// The condition of all rows behind the cursor's position; empty without one.
std::string ListReader::after() const {
  if (ranges_.size() < 2) return ranges_.empty() ? std::string() : ranges_.front();
  std::string text;
  for (const auto& range : ranges_) text += (text.empty() ? " and (true" : " or true") + range;
  return text + ")";
}

std::string ListReader::rows_of_business() const {
  return " from " + table_ + " r where r.business_id = $1 and r.deleted_at is null";
}

/// The statement that counts the selected rows exactly. Where an index finds the other rows only, these
/// are counted and subtracted from all, of the same snapshot.
std::string ListReader::counted() const {
  const bool has_complement = !selection_.whole.complement.empty();
  auto count = "select count(*)" + rows_of_business() +
               (has_complement ? selection_.whole.complement : selection_.where);
  if (selection_.whole.own_value.empty() && !has_complement) return count;
  const auto number = selection_.whole.own_value.empty()
                          ? "(" + count + ")"
                          : kept_total(record_type().type, selection_.whole.own_value, "(" + count + ")");
  if (!has_complement) return "select " + number;
  return "select " + std::string(tagged(statement_.text, "/*total*/")) + " - " + number;
}

/// The total by status, in SQL.
std::string ListReader::total_by_status() const {
  std::string text(storage::sql::lists::TotalByStatus::statement.text);
  const auto condition_on = [&](std::string_view status) {
    return replaced(selection_.where, "r.status", status);
  };
  insert_after(text, "/*after*/", condition_on("n.status_after"));
  insert_after(text, "/*before*/", condition_on("n.status_before"));
  replace_tagged(text, "/*type*/", std::to_string(static_cast<int>(record_type().type)));
  return text;
}

/// The statement that counts apart from the page, whichever source the total has.
std::string ListReader::counted_apart() const {
  if (total_source_ == TotalSource::maintained)
    return "select " + std::string(tagged(statement_.text, "/*total*/"));
  return total_source_ == TotalSource::by_status ? total_by_status() : counted();
}

/// Replaces the total in the statement, which is that of all rows of the business, if the list is narrowed;
/// by cursor, the position of the row stands there.
void ListReader::write_total(std::string& text) const {
  std::string total = "0::bigint";
  if (cursor_) {
    insert_after(text, "/*place*/", ", " + position_text(selection_.keys) + " as position");
    total = "r.position";
  } else if (total_source_ == TotalSource::maintained) {
    return;
  } else if (total_source_ == TotalSource::by_status) {
    total = "(" + total_by_status() + ")";
  } else if (total_source_ == TotalSource::with_page) {
    total = selection_.is_searched ? "r.total" : "(" + counted() + ")";
  }
  replace_tagged(text, "/*total*/", total);
}

/// Finds the guids of the rows in all ranges behind the cursor but the last, one range after the other
/// until there are as many as the page has. Returns the beginning of a statement up to the rows of the last
/// range, whose number is limited by the `bounds` that it appends.
std::string ListReader::find_in_ranges(const std::string& selected, const std::string& order,
                                       std::string& bounds) const {
  std::string found, guids;
  auto left = bounds;
  for (std::size_t i = 0; i + 1 < ranges_.size(); ++i) {
    const auto part = "part_" + std::to_string(i);
    found.append(i == 0 ? "with " : ", ")
        .append(part)
        .append(" as materialized (select r.guid from ")
        .append(table_);
    found.append(" r").append(is_joined() ? selection_.order_join : "");
    found.append(" where r.business_id = $1 and r.deleted_at is null").append(ranges_[i]).append(selected);
    found.append(" order by ").append(order).append(" ").append(left).append(")");
    guids += "select guid from " + part + " union all ";
    left += " - (select count(*) from " + part + ")";
  }
  bounds = left + ")))";
  return found + " select r.* from " + table_ + " r where r.business_id = $1 and r.guid = any(array(" +
         guids + "(select r.guid";
}

/// The statement of a page while it is written.
struct ListReader::PageParts {
  std::string text;
  std::string limit, offset;
  std::string selected;  // the condition of the list, without the position of a cursor
  std::string where, order, bounds;
};

/// Writes the way in which the rows of the page are found.
void ListReader::find_rows(std::int64_t page, PageParts& parts) const {
  auto& [text, limit, offset, selected, where, order, bounds] = parts;
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
             page > 1 && !selection_.is_narrowed() && !keys.columns.empty()) {
    // The first row of the page is found by an index-only scan.
    where = " and (" + keys.columns + (keys.descending ? ") <= (" : ") >= (") + "select " + keys.columns +
            rows_of_business() + " order by " + selection_.order + " limit 1 offset " + offset + ")";
    bounds = "limit " + limit;
  } else if (!selection_.order_join.empty()) {
    find_guids_first();
    insert_after(text, "/*join*/", selection_.order_join);
  } else if (order != newest_first && page <= pages_in_text && !selection_.has_computed_key &&
             !is_by_status(order)) {
    // PostgreSQL sorts the rows as they are in the table. Without `materialized` it first copies the
    // columns that the outer query reads. Later pages have more rows to sort than fit in its memory.
    replace_tagged(text, "/*rows*/", "with sorted as materialized (select r.*");
    bounds += ") select * from sorted";
  } else if (page > 1 || order != newest_first) {
    // The rows before the page, or those of the same status, are read by an index-only scan. A computed key
    // would be copied with all columns of its row.
    find_guids_first();
  }
}

/// The statement of a page. Adds its bounds to `values` if they are parameters.
std::string ListReader::page_text(const Page& page, storage::Params& values) const {
  PageParts parts{.text = text_,
                  .limit = std::to_string(page.limit()),
                  .offset = std::to_string(page.offset()),
                  .selected = bound_ + (reads_in_order_ ? only_tested(selection_.where) : selection_.where),
                  .where = {},
                  .order = is_joined() ? selection_.joined_order : selection_.order,
                  .bounds = {}};
  auto& [text, limit, offset, selected, where, order, bounds] = parts;
  if (keeps_business_from_index_) keep_business_from_index(text);
  if (page.number > pages_in_text) {
    const auto first = first_list_param + selection_.params.size();
    limit = "$" + std::to_string(first);
    offset = "$" + std::to_string(first + 1);
    values.add(page.limit()).add(page.offset());
  }
  where = after() + selected;
  bounds = "limit " + limit + (cursor_ ? "" : " offset " + offset);
  find_rows(page.number, parts);
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
  return std::move(parts.text);
}

}  // namespace waybill::api
