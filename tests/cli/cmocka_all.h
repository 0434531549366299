/* cmocka.h wants these before it. */
#ifndef JUMPCORE_TESTS_CMOCKA_ALL_H
#define JUMPCORE_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
