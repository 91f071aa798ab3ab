#pragma once

#include "api/route.hpp"
#include "api/services.hpp"
#include "domain/records/record_type.hpp"
#include "storage/statement.hpp"

namespace waybill::api {

/// A page of records by Page, PageSize, $filter, $orderby and $search (api/paging.hpp). `statement` lists the
/// newest fifty of business $1 as it stands, under the alias `r`; its first column is how many there are in
/// all. In it stand
///   /*total*/…/*end*/   what counts, replaced by an exact count when the list is filtered
///   /*where*/           where ` and …` may follow
///   /*order*/…/*end*/   the order
///   /*page*/…/*end*/    LIMIT and OFFSET
/// Refuses a bad $filter, $orderby or $search with all of them in `details`.
asio::awaitable<Answer> list_records(Call& call, Services& services, const domain::RecordType& type,
                                     const storage::Statement& statement);

}  // namespace waybill::api
