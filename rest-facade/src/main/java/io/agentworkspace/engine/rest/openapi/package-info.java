/** The parts of the OpenAPI document, and {@code docs/commands.md}. */
@NullMarked
package io.agentworkspace.engine.rest.openapi;

import org.jspecify.annotations.NullMarked;
