#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/threads/analysis.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::api {

/// A part of a long change of a business's data. Each call commits a portion of at most `size` rows and
/// returns true if more are left. A call that throws is repeated, so it keeps its place only after the
/// commit.
using Step = std::function<bool(storage::Session& session, std::size_t size)>;

/// Performs steps in order, for the author `cause` (JSON). Portions shrink and grow, so that one takes a
/// fraction of a second. A thread is taken for a few portions at a time, so that others have their turns. A
/// portion that is refused, because a lock or the time limit ends it or no thread is free, is repeated
/// smaller. Throws Failure (UNAVAILABLE) if it is refused again and again, and what the steps throw.
asio::awaitable<void> perform(Analysis& analysis, Guid business, std::string cause, std::vector<Step> steps);

}  // namespace waybill::api
