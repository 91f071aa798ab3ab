#pragma once

#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "storage/statement.hpp"

namespace waybill::api {

/// A status change of a record.
extern const Schema history_schema;

/// The status changes of the record in the path, the oldest first. `statement` takes business and guid; its
/// first column is null when no change is known, and is not shown. Throws Failure (404) when it has no row;
/// `what` is the record's kind.
asio::awaitable<Answer> answer_history(Call& call, Services& services, const storage::Statement& statement,
                                       std::string_view what);

}  // namespace waybill::api
