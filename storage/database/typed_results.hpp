#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>

#include "storage/statement/rows.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::storage {

/// Gives the awaited rows their type; rows of a statement whose head declares no columns stay as they are.
template <HasRow S>
boost::asio::awaitable<TypedRows<S>> typed_rows(boost::asio::awaitable<Rows> rows) {
  co_return TypedRows<S>(co_await std::move(rows));
}
template <TypedStatement S>
boost::asio::awaitable<Rows> typed_rows(boost::asio::awaitable<Rows> rows) {
  return rows;
}

}  // namespace waybill::storage
