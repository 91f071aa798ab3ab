#include "api/records/numbering.hpp"

#include <algorithm>

namespace waybill::api {

asio::awaitable<storage::Rows> write_drawing(Services& services, const storage::Statement& statement,
                                             storage::Params params, storage::Cause cause, bool draws,
                                             std::span<const std::string_view> constraints) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    try {
      co_return co_await services.db.write(statement, params, cause);
    } catch (const storage::StatementError& error) {
      const bool is_drawn_twice =
          draws && std::ranges::find(constraints, error.constraint()) != constraints.end();
      if (!is_drawn_twice || attempt == attempts) throw;
    }
  }
}

}  // namespace waybill::api
