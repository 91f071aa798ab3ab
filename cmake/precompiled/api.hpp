#pragma once

#include "api/route/route.hpp"
#include "api/route/schema.hpp"
#include "api/route/services.hpp"
#include "base/error.hpp"
#include "base/secret_box.hpp"
#include "base/thread/mutex.hpp"
#include "cmake/precompiled/storage.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"
