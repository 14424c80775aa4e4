"""Currency: of several memories on one matter, the one in force at the time that a query asks for comes first."""
