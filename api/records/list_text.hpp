#pragma once

#include <string>
#include <string_view>

#include "api/records/selection.hpp"

// Changes of the texts of lists. All functions are pure.
namespace waybill::api {

/// The sort columns of an order in which one row comparison finds all rows after a given row: every key is a
/// column that is never null, and all have one direction.
struct Keys {
  std::string columns;  // empty if the order is not of this kind
  bool descending = false;
};

Keys comparable_keys(std::string_view order);

constexpr std::string_view order_tag = "/*order*/";

/// Replaces the text between each `start_tag` and the next `/*end*/`.
void replace_tagged(std::string& text, std::string_view start_tag, std::string_view replacement);

/// Returns the text between the first `start_tag` and the next `/*end*/`.
std::string_view tagged(std::string_view text, std::string_view start_tag);

/// Inserts a text after the first `tag`.
void insert_after(std::string& text, std::string_view tag, std::string_view part);

/// Replaces the text after the last `start_tag`, up to the next `/*end*/`, together with its tags.
void replace_last_tagged(std::string& text, std::string_view start_tag, std::string_view replacement);

/// True if a page is a piece of an index, so that it takes the same short time for every value.
bool is_piece_of_index(const Selection& selection);

/// Writes the equality of a column with an index in the order of creation as a range of one value. Returns
/// the beginning of an order that means the same and that only this index has; empty for another condition.
/// With the equality, the planner could read the rows of all values by their creation: for a rare value among
/// few frequent ones that reads all rows of the business.
std::string write_as_range(std::string_view column_name, std::string& where);

/// Writes each parameter as a subselect. PostgreSQL then plans without looking at the value and keeps the
/// plan; otherwise it plans again for each call if the value seems rare, which takes longer than to read the
/// page.
std::string with_hidden_values(std::string_view where);

/// Writes the business's parameter as a subselect, for the same reason.
void hide_business(std::string& text);

/// Writes conditions so that no index serves them and PostgreSQL assumes the same share of rows for all of
/// them (a half), so that it reads the rows in their order until it has the page.
std::string only_tested(std::string_view where);

/// Writes the condition on the business of the rows found first so that no index serves it (holds_most).
void keep_business_from_index(std::string& text);

bool is_by_status(std::string_view order);

}  // namespace waybill::api
