#include "api/http/session_cookie.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

std::string name_for(std::string_view public_url) {
  const auto cookie = SessionCookie::of(public_url);
  return cookie ? cookie->name : "none";
}

std::string head_with(std::string_view fields) {
  return "GET / HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n";
}

std::string cookie_in(std::string_view fields) {
  return std::string(find_cookie(head_with(fields), "waybill_8080").value_or("none"));
}

TEST(SessionCookie, HasTheHostPrefixAndIsSecureForHttps) {
  const auto cookie = SessionCookie::of("https://way.example/some/path");
  ASSERT_TRUE(cookie);
  EXPECT_EQ(cookie->set("wb_x"),
            "Set-Cookie: __Host-waybill=wb_x; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure\r\n");
  EXPECT_EQ(cookie->clear(),
            "Set-Cookie: __Host-waybill=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure\r\n");
}

TEST(SessionCookie, HasThePortOfALoopbackAddressAndIsNotSecure) {
  EXPECT_EQ(name_for("http://127.0.0.1:8080"), "waybill_8080");
  EXPECT_EQ(name_for("http://127.9.9.9:8080/path"), "waybill_8080");
  EXPECT_EQ(name_for("http://LocalHost:81?x"), "waybill_81");
  EXPECT_EQ(name_for("http://shop.localhost:81"), "waybill_81");
  EXPECT_EQ(name_for("http://[::1]:8080"), "waybill_8080");
  EXPECT_EQ(name_for("http://[::1]"), "waybill_80");
  EXPECT_EQ(name_for("http://localhost"), "waybill_80");
  EXPECT_EQ(SessionCookie::of("http://localhost")->set("t"),
            "Set-Cookie: waybill_80=t; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict\r\n");
}

TEST(SessionCookie, ThereIsNoneWhereTheTokenWouldCrossANetworkInTheClear) {
  for (const std::string_view url :
       {"http://way.example", "http://0.0.0.0:8080", "http://10.0.0.1:8080", "http://127.0.0.1.example:80",
        "http://localhost.example", "http://notlocalhost", "http://.localhost.example", "http://[::]:80",
        "http://localhost@way.example:80", "http://[::1", "http://localhost:", "http://localhost:8x",
        "ftp://localhost", ""}) {
    EXPECT_EQ(name_for(url), "none") << url;
  }
}

TEST(SessionCookie, IsFoundAmongOthersAndInSeveralFields) {
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=wb_x\r\n"), "wb_x");
  EXPECT_EQ(cookie_in("cookie:a=b; waybill_8080=wb_x;c=d\r\n"), "wb_x");
  EXPECT_EQ(cookie_in("Cookie: a=b\r\nX: y\r\nCOOKIE: \t waybill_8080=wb_x ;\r\n"), "wb_x");
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=a=b\r\n"), "a=b");
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=\"wb_x\"\r\n"), "\"wb_x\"") << "as sent";
  EXPECT_EQ(cookie_in("Cookie: ;;; =; x; \x80\xff=\x01; waybill_8080=wb_x\r\n"), "wb_x");
}

TEST(SessionCookie, IsAbsentUnderAnotherNameOrWithoutAValue) {
  for (const std::string_view fields :
       {"", "Cookie:\r\n", "Cookie: ;\r\n", "Cookie: waybill_8080\r\n", "Cookie: waybill_8080=\r\n",
        "Cookie: Waybill_8080=x\r\n", "Cookie: waybill_80801=x\r\n", "Cookie: xwaybill_8080=x\r\n",
        "Cookie: waybill_8080 =x\r\n", "Cookies: waybill_8080=x\r\n", "X-Cookie: waybill_8080=x\r\n"}) {
    EXPECT_EQ(cookie_in(fields), "none") << fields;
  }
}

TEST(SessionCookie, IsAbsentIfItIsGivenTwice) {
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=a; waybill_8080=b\r\n"), "none");
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=a; waybill_8080=a\r\n"), "none");
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=a\r\nCookie: waybill_8080=b\r\n"), "none");
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=a; waybill_8080=\r\n"), "none");
}

TEST(SessionCookie, OfManyIsFoundInTimeThatGrowsWithTheHead) {
  std::string many = "Cookie: ";
  for (int i = 0; i < 20'000; ++i) many += "x=;";
  EXPECT_EQ(cookie_in(many + " waybill_8080=wb_x\r\n"), "wb_x");
  EXPECT_EQ(cookie_in("Cookie: waybill_8080=" + std::string(65'536, 'x') + "\r\n"), std::string(65'536, 'x'))
      << "the length of a head is the server's limit, that of a token the authenticator's";
}

TEST(IsFromConsole, NeedsBothFieldsOnceAndExactly) {
  const std::string console = "X-Waybill-Console: 1\r\n", same = "Sec-Fetch-Site: same-origin\r\n";
  EXPECT_TRUE(is_from_console(head_with(console + same)));
  EXPECT_TRUE(is_from_console(head_with("x-waybill-console:1\r\nSEC-FETCH-SITE:\tsame-origin \r\n")));
  for (const std::string& fields :
       {std::string(), console, same, same + "X-Waybill-Console: 0\r\n", same + "X-Waybill-Console: true\r\n",
        same + "X-Waybill-Console: 1, 1\r\n", same + console + console, console + same + same,
        console + same + "Sec-Fetch-Site: cross-site\r\n", console + "Sec-Fetch-Site: same-site\r\n",
        console + "Sec-Fetch-Site: none\r\n", console + "Sec-Fetch-Site: Same-Origin\r\n"}) {
    EXPECT_FALSE(is_from_console(head_with(fields))) << fields;
  }
}

}  // namespace
}  // namespace waybill::api
