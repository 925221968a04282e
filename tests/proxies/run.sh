#!/bin/sh
# Tries the configurations of docs/administration.md with a real nginx and a real Caddy, if they are installed.
set -eu
cd "$(dirname "$0")/../.."
feedbackd=${FEEDBACKD:-target/debug/feedbackd}
work=$(mktemp -d)
trap 'kill $(cat "$work"/*.pid 2>/dev/null) 2>/dev/null || true; rm -rf "$work"' EXIT
port=19464

# snippet WORD: the block of the document that begins with it
snippet() {
	awk -v begin="$1" '/^```/ { inside = 0; next } index($0, begin) == 1 { inside = 1 } inside' docs/administration.md
}

for program in openssl curl redis-server; do
	command -v "$program" >/dev/null || { echo "$program is not installed: the proxies are not tried"; exit 0; }
done
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=feedback.example.org \
	-addext subjectAltName=DNS:feedback.example.org -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
redis-server --port 19379 --save '' --daemonize yes --pidfile "$work/redis.pid" --dir "$work" >/dev/null

cat >"$work/config.toml" <<END
[store]
path = "$work/store.git"
[state]
dir = "$work/state"
[redis]
url = "redis://127.0.0.1:19379/0"
[http]
listen = "127.0.0.1:$port"
hosts = "feedback.example.org"
public_url = "https://feedback.example.org"
[http.proxy]
header = "X-Forwarded-User"
END
export FEEDBACKD_CONFIG="$work/config.toml"
"$feedbackd" init >/dev/null
"$feedbackd" roster add ana="Ana Example" >/dev/null
"$feedbackd" serve >"$work/log" 2>&1 &
echo $! >"$work/daemon.pid"
for _ in $(seq 100); do curl -sf "http://127.0.0.1:$port/ready" >/dev/null && break; sleep 0.1; done

# try NAME PORT: the way of a request through the proxy
try() {
	at="https://feedback.example.org:$2"
	for _ in $(seq 100); do
		curl -s --cacert "$work/cert.pem" --resolve "feedback.example.org:$2:127.0.0.1" "$at/health" >/dev/null && break
		sleep 0.1
	done
	check() { [ "$2" = "$3" ] || { echo "$1: $4: expected $3, got $2"; cat "$work/answer"; exit 1; }; }
	resolve="feedback.example.org:$2:127.0.0.1"
	get() { curl -s --cacert "$work/cert.pem" --resolve "$resolve" -o "$work/answer" -w '%{http_code}' "$@"; }
	check "$1" "$(get "$at/health")" 200 "the daemon answers"
	check "$1" "$(get "$at/login")" 200 "the login page"
	check "$1" "$(get "$at/api/v1/proposals")" 401 "nobody is known"
	check "$1" "$(get -H 'X-Forwarded-User: ana' "$at/api/v1/proposals")" 401 "a header of a client names nobody"
	# The proxy or the daemon refuses it, whichever looks first; Caddy may close the connection.
	case $(head -c 2000000 /dev/zero | get --data-binary @- "$at/api/v1/detect") in
	413 | 401 | 000) ;;
	*) echo "$1: a large body is accepted"; exit 1 ;;
	esac
	echo "$1: as in the document"
}

if command -v nginx >/dev/null; then
	snippet 'server {' | sed "s|listen 443|listen 127.0.0.1:18443|; s|/etc/ssl/feedback.pem|$work/cert.pem|; s|/etc/ssl/feedback.key|$work/key.pem|; s|127.0.0.1:9464|127.0.0.1:$port|" >"$work/site.conf"
	cat >"$work/nginx.conf" <<END
pid $work/nginx.pid;
error_log $work/nginx.log;
events {}
http { access_log off; client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s; include $work/site.conf; }
END
	nginx -c "$work/nginx.conf" 2>/dev/null
	try nginx 18443
else
	echo "nginx is not installed (Debian: apt-get install nginx): not tried"
fi
if command -v caddy >/dev/null; then
	snippet 'feedback.example.org {' | sed "s|^feedback.example.org {|{\n\tauto_https disable_redirects\n\tadmin off\n\tstorage file_system $work/caddy\n}\nhttps://feedback.example.org:18444 {\n\ttls $work/cert.pem $work/key.pem|; s|127.0.0.1:9464|127.0.0.1:$port|" >"$work/Caddyfile"
	HOME=$work caddy run --config "$work/Caddyfile" --adapter caddyfile >"$work/caddy.log" 2>&1 &
	echo $! >"$work/caddy.pid"
	try caddy 18444
else
	echo "caddy is not installed (Debian: apt-get install caddy): not tried"
fi
