/** The REST facade: every route is read off the catalogue, and so is the OpenAPI document. Bytes in, bytes out. */
@NullMarked
package io.agentworkspace.engine.rest;

import org.jspecify.annotations.NullMarked;
