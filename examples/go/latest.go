package release

// Latest gives the newest of some tags, as it is written there; tags that are no versions are passed over. False: there is none.
func Latest(tags []string) (string, bool) {
	panic("not implemented")
}
