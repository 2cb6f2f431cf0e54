/** The parts that the OpenAPI document is made of, and the reference of all commands. */
@NullMarked
package io.agentworkspace.engine.rest.openapi;

import org.jspecify.annotations.NullMarked;
