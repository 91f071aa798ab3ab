#pragma once

#include "base/secret_box.hpp"
#include "base/thread/mutex.hpp"
#include "cmake/precompiled/storage.hpp"
#include "net/http/http_client.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
