#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "domain/records/record_type.hpp"
#include "storage/statement.hpp"

namespace waybill::api {

inline constexpr std::string_view newest_first = "r.created_at desc, r.guid desc";

/// What a call asks of a list, in SQL. Its parameters are numbered from `first_list_param` on.
struct Selection {
  std::string where;  // " and …" for each condition
  std::string order{newest_first};
  std::vector<std::string> params;
  bool is_searched =
      false;  // what counts the rows looks at all of them anyway, and so finds the page as well
  bool is_narrowed() const { return !where.empty(); }
};
inline constexpr int first_list_param = 2;

/// A page of the rows that `selection` picks of `table`. `statement` lists the newest fifty of business $1 as
/// it stands, under the alias `r`; its first column is how many there are in all. In it stand
///   /*total*/…/*end*/   what counts, replaced by an exact count when the list is narrowed
///   /*rows*/…/*end*/    the row in the inner query, replaced by its guid where that is found first
///   /*where*/           where ` and …` may follow
///   /*order*/…/*end*/   the order
///   /*page*/…/*end*/    LIMIT and OFFSET
asio::awaitable<Answer> list_selected(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection);

/// Likewise a page of records by Page, PageSize, $filter, $orderby and $search (api/route/paging.hpp).
/// Refuses a bad $filter, $orderby or $search with all of them in `details`.
asio::awaitable<Answer> list_records(Call& call, Services& services, const domain::RecordType& type,
                                     const storage::Statement& statement);

}  // namespace waybill::api
