#pragma once

#include <functional>

#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

struct WrittenPage {
  PageCounts counts;
  std::string refusal;  // not empty: nothing was written, as the database takes one of its records for wrong
};

/// Does the transaction that `attempt` makes, again when others were in its way.
asio::awaitable<WrittenPage> write_page(std::function<asio::awaitable<PageCounts>()> attempt);

}  // namespace waybill::worker
