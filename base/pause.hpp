#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"

namespace waybill {

/// Resumes the caller after `time`, on its executor. Throws boost::system::system_error if the executor's
/// context cancels the wait.
boost::asio::awaitable<void> pause(Duration time);

}  // namespace waybill
