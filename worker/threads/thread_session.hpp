#pragma once

#include "storage/blocking/connection.hpp"
#include "storage/session/kept_session.hpp"
#include "storage/session/session.hpp"

namespace waybill::worker {

/// The session of a thread. One for binary values and pipelines, one where text is enough.
using ThreadSession = storage::KeptSession<storage::Session>;
using PlainThreadSession = storage::KeptSession<storage::blocking::Connection>;

}  // namespace waybill::worker
