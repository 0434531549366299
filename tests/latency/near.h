/* near.h - cmocka before version 1.1.8 cannot compare doubles. */
#ifndef JUMPCORE_TESTS_NEAR_H
#define JUMPCORE_TESTS_NEAR_H

#define assert_near(actual, expected, tolerance)                                                   \
    do {                                                                                           \
        double actual_ = (actual);                                                                 \
        double expected_ = (expected);                                                             \
        double tolerance_ = (tolerance);                                                           \
        if (!(actual_ >= expected_ - tolerance_ && actual_ <= expected_ + tolerance_))             \
            fail_msg("%s is %.17g, not %.17g", #actual, actual_, expected_);                       \
    } while (0)

#endif
