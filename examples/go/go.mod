module example.org/release

go 1.19
