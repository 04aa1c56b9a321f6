//! A shell command line as its parts: which programs it runs, how they are joined, and whose status it reports.
