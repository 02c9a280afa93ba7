package release

// Latest gives the newest of some tags, as it is written there; tags that are no versions are passed over. False: there is none.
func Latest(tags []string) (string, bool) {
	latest, newest, found := "", Version{}, false
	for _, tag := range tags {
		version, err := Parse(tag)
		if err == nil && (!found || Compare(version, newest) > 0) {
			latest, newest, found = tag, version, true
		}
	}
	return latest, found
}
