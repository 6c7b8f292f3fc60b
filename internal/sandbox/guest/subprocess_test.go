package guest_test

const asGuest = "GLOVEBOX_TEST_AS_GUEST"

func runAsGuest() int { return 0 }
