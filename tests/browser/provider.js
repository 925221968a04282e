// A provider of OpenID Connect that knows one person and asks them nothing. It lies on another site than the page.
import { createPublicKey, createSign, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";

export async function provider(email) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const text = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const nonces = new Map();
  const answer = (response, value) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, issuer);
    if (pathname === "/.well-known/openid-configuration") {
      answer(response, {
        issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"], subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"],
      });
    } else if (pathname === "/keys") {
      answer(response, { keys: [{ ...createPublicKey(privateKey).export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] });
    } else if (pathname === "/authorize") {
      const code = `code-${nonces.size}`;
      nonces.set(code, searchParams.get("nonce"));
      const back = new URL(searchParams.get("redirect_uri"));
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state"));
      response.writeHead(302, { location: back.href }).end();
    } else {
      const parts = [];
      for await (const part of request) parts.push(part);
      const body = new URLSearchParams(Buffer.concat(parts).toString());
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: "feedbackd", sub: "1", nonce: nonces.get(body.get("code")), iat: now, exp: now + 300, email, email_verified: true };
      const signed = `${text({ alg: "RS256", kid: "one" })}.${text(claims)}`;
      const signature = createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url");
      answer(response, { access_token: "none", token_type: "Bearer", id_token: `${signed}.${signature}` });
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  return { issuer, end: () => server.close() };
}
