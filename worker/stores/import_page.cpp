#include "worker/stores/import_page.hpp"

namespace waybill::worker {
namespace {

constexpr int most_tries = 4;

}  // namespace

asio::awaitable<WrittenPage> write_page(std::function<asio::awaitable<PageCounts>()> attempt) {
  for (int tries = 1;; ++tries) {
    try {
      co_return WrittenPage{co_await attempt(), {}};
    } catch (const storage::StatementError& error) {
      if (storage::refuses_data(error)) co_return WrittenPage{{}, refusal_text(error)};
      if (!storage::is_lock_conflict(error) || tries == most_tries) throw;
    }
  }
}

}  // namespace waybill::worker
