"""What asks endpoints of models over HTTP; shared by all that do."""
