/** The REST API: {@code RestFacade} lists every route; most come from the catalogue. */
@NullMarked
package io.agentworkspace.engine.rest;

import org.jspecify.annotations.NullMarked;
