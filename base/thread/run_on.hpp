#pragma once

#include <functional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace waybill {

/// Does the work on a thread that runs `io`, then resumes the coroutine on its own executor. Throws what the
/// work throws. The work owns what it uses, since it can end after the coroutine is destroyed.
boost::asio::awaitable<void> run_on(boost::asio::io_context& io, std::function<void()> work);

}  // namespace waybill
