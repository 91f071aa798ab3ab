#pragma once

#include <cstddef>

#include "api/schema.hpp"
#include "api/services.hpp"
#include "base/json.hpp"
#include "net/mail.hpp"

namespace waybill::api {

inline constexpr std::size_t longest_email = 254;  // RFC 5321 section 4.5.3.1.3, without the angle brackets
inline constexpr std::size_t shortest_password = 10;   // characters
inline constexpr std::size_t longest_password = 1000;  // so that hashing it costs no more than Argon2id does

inline constexpr Property password_property{.name = "password",
                                            .kind = Kind::string,
                                            .required = true,
                                            .max_length = longest_password,
                                            .min_length = shortest_password};
inline constexpr Property confirm_password_property{.name = "confirmPassword",
                                                    .kind = Kind::string,
                                                    .required = true,
                                                    .max_length = longest_password,
                                                    .description = "the password again"};

/// That `confirmPassword` is the password.
void check_confirmation(const json::object& body, FieldErrors& errors);

/// The mail that asks a new user to verify an address.
net::MailMessage verification_mail(const Services& services, const std::string& to, const std::string& token);

/// The mail that invites a user into a business.
net::MailMessage invitation_mail(const Services& services, const std::string& to, const std::string& token,
                                 const std::string& business);

}  // namespace waybill::api
