"""Providers and probes, and which of them a tracer may enable.

In come providers that register and create probes, and probe descriptions with globs; out go the probes that
a description means.  Read registry.py first: `Operations` is what the framework calls of a provider,
`Probe.fire` what a provider calls.  dof.globs tests one field of a description; privileges.py says what a
credential grants.
"""
