#include "net/destination/destination.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

bool is_public(const std::string& text) {
  sockaddr_storage storage{};
  if (text.find(':') == std::string::npos) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &v4.sin_addr), 1) << text;
    std::memcpy(&storage, &v4, sizeof v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
    std::memcpy(&storage, &v6, sizeof v6);
  }
  return is_public_address(reinterpret_cast<const sockaddr&>(storage));
}

TEST(Destination, SpecialAddressesAreNotPublic) {
  // The first and last address of each block.
  for (const char* const address : {
           "0.0.0.0",
           "0.255.255.255",
           "10.0.0.0",
           "10.255.255.255",
           "100.64.0.0",
           "100.127.255.255",
           "127.0.0.1",
           "127.255.255.255",
           "169.254.0.0",
           "169.254.169.254",
           "169.254.255.255",
           "172.16.0.0",
           "172.31.255.255",
           "192.0.0.0",
           "192.0.0.255",
           "192.0.2.0",
           "192.0.2.255",
           "192.88.99.0",
           "192.88.99.255",
           "192.168.0.0",
           "192.168.255.255",
           "198.18.0.0",
           "198.19.255.255",
           "198.51.100.0",
           "198.51.100.255",
           "203.0.113.0",
           "203.0.113.255",
           "224.0.0.0",
           "239.255.255.255",
           "240.0.0.0",
           "255.255.255.255",
           "168.63.129.16",
           "100.100.100.200",
           "::",
           "::1",
           "::127.0.0.1",
           "::ffff:127.0.0.1",
           "::ffff:8.8.8.8",
           "64:ff9b::808:808",
           "64:ff9b::ffff:ffff",
           "64:ff9b:1::1",
           "100::1",
           "2001::1",
           "2001:1::1",
           "2001:2::1",
           "2001:10::1",
           "2001:1ff:ffff::1",
           "2001:db8::",
           "2001:db8:ffff:ffff::1",
           "2002:808:808::1",
           "3fff::1",
           "3fff:fff:ffff::1",
           "4000::1",
           "5f00::1",
           "fc00::1",
           "fd00:ec2::254",
           "fdff:ffff::1",
           "fe80::1",
           "febf::1",
           "fec0::1",
           "ff02::1",
           "1fff::1",
       }) {
    EXPECT_FALSE(is_public(address)) << address;
  }
}

TEST(Destination, NeighboursOfSpecialAddressesArePublic) {
  for (const char* const address : {
           "1.0.0.0",          "9.255.255.255",   "11.0.0.0",      "100.63.255.255",  "100.128.0.0",
           "126.255.255.255",  "128.0.0.0",       "168.63.129.15", "168.63.129.17",   "169.253.255.255",
           "169.255.0.0",      "172.15.255.255",  "172.32.0.0",    "191.255.255.255", "192.0.1.0",
           "192.0.3.0",        "192.88.98.255",   "192.88.100.0",  "192.167.255.255", "192.169.0.0",
           "198.17.255.255",   "198.20.0.0",      "198.51.99.255", "198.51.101.0",    "203.0.112.255",
           "203.0.114.0",      "223.255.255.255", "8.8.8.8",       "2000::1",         "2001:200::1",
           "2001:db7:ffff::1", "2001:db9::1",     "2003::1",       "2606:4700::1111", "3ffe:ffff::1",
           "3fff:1000::1",
       }) {
    EXPECT_TRUE(is_public(address)) << address;
  }
}

TEST(Destination, OtherAddressFamiliesAreNotPublic) {
  sockaddr unix_socket{};
  unix_socket.sa_family = AF_UNIX;
  EXPECT_FALSE(is_public_address(unix_socket));
}

TEST(Destination, OrdinaryUrlsMayBeUsed) {
  for (const char* const url : {
           "http://example.com",
           "https://example.com/",
           "HTTPS://Example.COM/Hook?x=1&y=%20#part",
           "https://example.com:443/",
           "http://example.com:80/",
           "https://example.com:8443/",
           "http://example.com:1024/",
           "https://example.com:65535/",
           "https://xn--bcher-kva.example/",
           "https://8.8.8.8/hook",
           "https://[2606:4700::1111]:8443/",
           "https://sub_domain.example.com./",
       }) {
    EXPECT_EQ(check_url(url, {}), std::nullopt) << url;
  }
}

TEST(Destination, OnlyPlainHttpUrlsAreAccepted) {
  for (const char* const url : {
           "",
           "example.com",
           "/hook",
           "//example.com/",
           "http://",
           "http:///hook",
           "http:/example.com/",
           "http:////example.com/",
           "ftp://example.com/",
           "file:///etc/passwd",
           "gopher://example.com/",
           "javascript:alert(1)",
           "unix:/run/x",
           "http://user@example.com/",
           "http://user:secret@example.com/",
           "http://:secret@example.com/",
           "http://example.com:99999/",
           "http://example.com:-1/",
           "http://example.com:x/",
           "http://exa mple.com/",
           "http://example.com/a b",
           " http://example.com/",
           "http://example.com/\n",
           "http://example.com/\x7f",
           "http://example.com\\@127.0.0.1/",
           "http://bücher.example/",
           "http://①②⑦.0.0.1/",
           "http://[::1/",
           "http://[zz]/",
           "http://exa%6dple.com%00/",
           "http://a..example.com/",
           "http://-example.com/",
           "http://example-.com/",
           "http://./",
       }) {
    EXPECT_NE(check_url(url, {}), std::nullopt) << url;
    EXPECT_NE(check_url(url, {.allow_private = true}), std::nullopt) << url;
  }
  EXPECT_NE(check_url(std::string_view("http://example.com/\0x", 21), {}), std::nullopt);
}

TEST(Destination, UrlsHaveAtMost2000Characters) {
  std::string url = "https://example.com/";
  url.resize(2000, 'x');
  EXPECT_EQ(check_url(url, {}), std::nullopt);
  EXPECT_NE(check_url(url + 'x', {}), std::nullopt);
}

TEST(Destination, PrivateAddressesInAnyFormAndLowPortsNeedPermission) {
  for (const char* const url : {
           "http://127.0.0.1/",
           "http://127.1/",
           "http://127.0.1/",
           "http://0x7f.1/",
           "http://0x7f000001/",
           "http://2130706433/",
           "http://017700000001/",
           "http://0177.0.0.1/",
           "http://127.0.0.1./",
           "http://127.1./",
           "http://0/",
           "http://10.1.2.3/",
           "http://169.254.169.254/latest/",
           "http://192.168.1.1:8080/",
           "http://[::1]/",
           "http://[::]/",
           "http://[::ffff:127.0.0.1]/",
           "http://[::ffff:7f00:1]/",
           "http://[64:ff9b::a00:1]/",
           "http://[fd00::1]/",
           "http://[fe80::1%25eth0]/",
           "http://[2002:7f00:1::]/",
           "http://%31%32%37.0.0.1/",
           "http://localhost/",
           "http://LOCALHOST:8080/",
           "http://localhost./",
           "http://x.localhost/",
           "http://example.com:22/",
           "http://example.com:25/",
           "https://example.com:1023/",
           "http://example.com:81/",
       }) {
    EXPECT_NE(check_url(url, {}), std::nullopt) << url;
    EXPECT_EQ(check_url(url, {.allow_private = true}), std::nullopt) << url;
  }
}

TEST(Destination, KeyIsHostAndPort) {
  const auto key = [](std::string_view url) {
    const auto destination = parse_destination(url);
    return destination ? destination->scheme + ' ' + destination->key() : "none";
  };
  EXPECT_EQ(key("https://Example.com/a?b"), "https example.com:443");
  EXPECT_EQ(key("HTTP://example.com/"), "http example.com:80");
  EXPECT_EQ(key("http://example.com:8080"), "http example.com:8080");
  EXPECT_EQ(key("http://[2001:DB8::1]:81/"), "http 2001:db8::1:81");
  EXPECT_EQ(key("http://0x7f.1/"), "http 127.0.0.1:80");
  EXPECT_EQ(key("not a url"), "none");
}

}  // namespace
}  // namespace waybill::net
