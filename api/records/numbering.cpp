#include "api/records/numbering.hpp"

#include <algorithm>

namespace waybill::api {

asio::awaitable<storage::Rows> write_numbered(Services& services, const storage::Statement& statement,
                                              storage::Params params, storage::Cause cause,
                                              bool assigns_number,
                                              std::span<const std::string_view> constraints) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    try {
      co_return co_await services.db.write(statement, params, cause);
    } catch (const storage::StatementError& error) {
      const bool is_number_taken =
          assigns_number && std::ranges::find(constraints, error.constraint()) != constraints.end();
      if (!is_number_taken || attempt == attempts) throw;
    }
  }
}

}  // namespace waybill::api
