#pragma once

#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/selection.hpp"
#include "domain/records/record_type.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::api {

/// The errors of a list besides those of every endpoint.
inline constexpr ErrorCode list_errors[] = {ErrorCode::payload_too_large};

/// True if a line of a plan without costs ends with the name of an index in which texts are searched. Such a
/// name ends with `_text`, or is orders_by_recipient.
bool names_index_of_texts(std::string_view line_of_plan);

/// True if the business has at least half of the rows of the type's table, by the maintained numbers and the
/// last analysis of the table; remembered for a minute. A search in such a table keeps its condition on the
/// business from the indexes of texts: GIN would read the list of the business's rows as well, which takes
/// ten times as long as to find a word.
asio::awaitable<bool> holds_most(const Guid& business, Services& services, const domain::RecordType& type);

/// Returns a page of the rows of `table` that match `selection`. `statement`, unchanged, lists the newest
/// fifty rows of business $1 under the alias `r`; its first column is the total, null in a row that does not
/// fit. It contains these tags:
///   /*total*/…/*end*/   the total, replaced by an exact count if the list is narrowed
///   /*fields*/…/*end*/  the columns of the answer, of which `$select` leaves some (AnswerColumns)
///   /*fits*/…/*end*/    True if the row is small enough for a short read, replaced by the same for the page
///   /*place*/           the place for `, … as place` if the outer query is not ordered by columns of the row
///   /*rows*/…/*end*/    the row in the inner query, replaced by its guid if guids are found first
///   /*join*/            the place for a join, where `$orderby` has fields of the customer
///   /*where*/           the place for further ` and …`
///   /*order*/…/*end*/   the order
///   /*page*/…/*end*/    LIMIT and OFFSET
/// Throws Failure (PAYLOAD_TOO_LARGE) if the page has more than 8 MiB and more than one row.
asio::awaitable<Answer> list_selected(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection);

/// Returns a page of records by Page, PageSize, $filter, $orderby and $search (api/endpoint/paging.hpp), or
/// by a cursor (api/endpoint/list_cursor.hpp): the rows behind a position in the order. A cursor sorts a text
/// without the limit of a line by its first 200 characters. Throws Failure with an entry in `details` for
/// each invalid $filter, $orderby and $search.
asio::awaitable<Answer> list_records(Call& call, Services& services, const domain::RecordType& type,
                                     const storage::Statement& statement);

}  // namespace waybill::api
