#include "worker/stores/import_page.hpp"

namespace waybill::worker {
namespace {

constexpr int max_attempts = 4;

}  // namespace

asio::awaitable<WrittenPage> write_page(std::function<asio::awaitable<PageCounts>()> transaction) {
  for (int attempt = 1;; ++attempt) {
    try {
      co_return WrittenPage{co_await transaction(), {}};
    } catch (const storage::StatementError& error) {
      if (storage::refuses_data(error)) co_return WrittenPage{{}, refusal_text(error)};
      if (!storage::is_lock_conflict(error) || attempt == max_attempts) throw;
    }
  }
}

}  // namespace waybill::worker
