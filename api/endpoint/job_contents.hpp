#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// The purpose with which a part of the contents of a job is sealed.
std::string job_content_purpose(const Guid& job, std::string_view name);

/// The contents of a job: its call, or the file of its result.
enum class JobContent : bool { call, file };

/// Stores bytes sealed, in parts of 1 MiB.
asio::awaitable<void> store_content(storage::Transaction& transaction, const SecretBox& secrets,
                                    Guid business, Guid job, JobContent content, std::string_view bytes);

/// Returns what was stored; empty if there is nothing. Throws SecretError if no key opens it.
asio::awaitable<std::string> load_content(storage::Database& db, const SecretBox& secrets, Guid business,
                                          Guid job, JobContent content);

}  // namespace waybill::api
