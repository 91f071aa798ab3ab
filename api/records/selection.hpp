#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "domain/filter/filter.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::api {

inline constexpr std::string_view newest_first = "r.created_at desc, r.guid desc";

/// The filter and order of a list call, in SQL. Its parameters are numbered from `first_list_param`.
struct Selection {
  std::string where;            // " and …" for each condition
  std::string where_for_scans;  // as `where`, of text_for_scans of domain::SqlFragment; empty without one
  std::string order{newest_first};
  std::vector<domain::SortKey> keys = {};  // of the order, for a list that is read by cursor
  std::string order_join, joined_order;    // as join and joined_text of domain::SqlFragment
  bool has_computed_key = false;           // as in domain::SqlFragment, of the order
  std::vector<std::string> params;
  bool is_searched = false;        // by $search: one scan then finds both the count and the page
  bool uses_search_index = false;  // it finds the rows: $search without a filter
  bool has_own_data = false;       // as in domain::SqlFragment, of all conditions together
  /// The facts of domain::SqlFragment that hold for `where` as a whole: those of the only condition, and none
  /// of several.
  struct Whole {
    std::string_view sole_column = {};
    bool is_of_status = false;
    std::string complement = {};  // " and …": selects exactly the other rows; empty: not known
    std::string own_value = {};
  } whole = {};
  bool is_narrowed() const { return !where.empty(); }
};
inline constexpr int first_list_param = 2;

/// The facts of a condition that is the only one.
Selection::Whole whole_of(const domain::SqlFragment& fragment);

/// The selection of a call's $filter, $search and $orderby. Throws Failure with an entry in `details` for
/// each of them that is invalid. Pure.
Selection read_selection(const Call& call, const domain::RecordType& type);

}  // namespace waybill::api
