/// Bounds how many tests run at once; there is nothing to call.
#ifndef C_TEST_WIDTH_H
#define C_TEST_WIDTH_H
#endif
