#pragma once

#include <functional>

#include "worker/stores/import_scope.hpp"

namespace waybill::worker {

struct WrittenPage {
  PageCounts counts;
  std::string refusal;  // if not empty, the database refused a record and nothing was written
};

/// Runs a transaction, and repeats it after a lock conflict.
asio::awaitable<WrittenPage> write_page(std::function<asio::awaitable<PageCounts>()> transaction);

}  // namespace waybill::worker
